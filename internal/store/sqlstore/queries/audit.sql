-- name: CreateAudit :exec
INSERT INTO audit (team_id, id, at, action, content) VALUES (@team_id, @id, @at, @action, @content);

-- name: ListAudit :many
SELECT content FROM audit
WHERE team_id = @team_id AND (at, id) < (CAST(@after_at AS bigint), CAST(@after_id AS text))
ORDER BY at DESC, id DESC
LIMIT CAST(@page_size AS bigint);

-- name: ListAuditOfAction :many
SELECT content FROM audit
WHERE team_id = @team_id AND action = @action AND (at, id) < (CAST(@after_at AS bigint), CAST(@after_id AS text))
ORDER BY at DESC, id DESC
LIMIT CAST(@page_size AS bigint);
