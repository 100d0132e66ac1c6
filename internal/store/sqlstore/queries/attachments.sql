-- name: ListAttachments :many
SELECT content, blob FROM attachment WHERE team_id = @team_id AND issue_id = @issue_id
ORDER BY at, id;

-- name: AttachmentByID :one
SELECT content, blob FROM attachment WHERE team_id = @team_id AND issue_id = @issue_id AND id = @id;

-- name: CreateAttachment :exec
INSERT INTO attachment (team_id, id, issue_id, at, content, blob) VALUES (@team_id, @id, @issue_id, @at, @content, @blob);

-- name: SaveAttachment :execrows
UPDATE attachment SET content = @content, blob = @blob WHERE team_id = @team_id AND issue_id = @issue_id AND id = @id;

-- name: RemoveAttachment :execrows
DELETE FROM attachment WHERE team_id = @team_id AND issue_id = @issue_id AND id = @id;

-- name: CreateImage :exec
INSERT INTO image (team_id, id, at, content_type, bytes, sha256, actor) VALUES (@team_id, @id, @at, @content_type, @bytes, @sha256, @actor);

-- name: ImageByID :one
SELECT * FROM image WHERE team_id = @team_id AND id = @id;
