-- name: ListAcceptance :many
SELECT number, title, checked, version FROM acceptance_item
WHERE team_id = @team_id AND issue_id = @issue_id
ORDER BY number;

-- name: NumberAcceptanceItem :one
UPDATE issue SET last_item = last_item + 1 WHERE team_id = @team_id AND id = @id
RETURNING last_item;

-- name: CreateAcceptanceItem :exec
INSERT INTO acceptance_item (team_id, issue_id, number, title, checked, version)
VALUES (@team_id, @issue_id, @number, @title, 0, 1);

-- name: SaveAcceptanceItem :execrows
UPDATE acceptance_item SET title = @title, checked = @checked, version = @version
WHERE team_id = @team_id AND issue_id = @issue_id AND number = @number;

-- name: RemoveAcceptanceItem :execrows
DELETE FROM acceptance_item WHERE team_id = @team_id AND issue_id = @issue_id AND number = @number;

-- name: ListComments :many
SELECT number, body, actor, at FROM comment
WHERE team_id = @team_id AND issue_id = @issue_id AND number > CAST(@after_number AS bigint)
ORDER BY number
LIMIT CAST(@page_size AS bigint);

-- name: CommentByNumber :one
SELECT number, body, actor, at FROM comment
WHERE team_id = @team_id AND issue_id = @issue_id AND number = @number;

-- name: NextCommentNumber :one
-- No comment is ever removed.
SELECT CAST(COALESCE(MAX(number), 0) + 1 AS bigint) AS number FROM comment
WHERE team_id = @team_id AND issue_id = @issue_id;

-- name: CreateComment :exec
INSERT INTO comment (team_id, issue_id, number, body, actor, at)
VALUES (@team_id, @issue_id, @number, @body, @actor, @at);
