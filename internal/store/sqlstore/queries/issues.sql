-- name: IssueByID :one
SELECT id, board, status, position, parent_id, content, description_hash, version, created_at, updated_at, waiting, conflicting
FROM card
WHERE team_id = @team_id AND id = @id
  AND (CAST(sqlc.narg('board') AS bigint) IS NULL OR board = CAST(sqlc.narg('board') AS bigint));

-- name: ListIssues :many
-- REPLACE finds a text without LIKE's wildcards, and without its ESCAPE, which the generator does not know for SQLite.
SELECT id, board, status, position, parent_id, content, description_hash, version, created_at, updated_at, waiting, conflicting
FROM card
WHERE team_id = @team_id
  AND (board, status, position, id) > (CAST(@after_board AS bigint), CAST(@after_status AS text), CAST(@after_position AS bigint), CAST(@after_id AS text))
  AND (CAST(sqlc.narg('status') AS text) IS NULL OR status = CAST(sqlc.narg('status') AS text))
  AND (CAST(sqlc.narg('type') AS text) IS NULL OR type = CAST(sqlc.narg('type') AS text))
  AND (CAST(sqlc.narg('parent') AS text) IS NULL OR parent_id = CAST(sqlc.narg('parent') AS text))
  AND (CAST(sqlc.narg('agent') AS bigint) IS NULL OR agent = CAST(sqlc.narg('agent') AS bigint))
  AND (CAST(sqlc.narg('text_key') AS text) IS NULL
    OR REPLACE(title_key, CAST(sqlc.narg('text_key') AS text), '') <> title_key
    OR REPLACE(UPPER(id), CAST(sqlc.narg('text_key') AS text), '') <> UPPER(id))
  AND (CAST(sqlc.narg('ready') AS bigint) IS NULL OR CAST(sqlc.narg('ready') AS bigint) =
    CASE WHEN status = 'ToDo' AND stuck = 0 AND waiting = 0 AND conflicting = 0 THEN 1 ELSE 0 END)
ORDER BY board, status, position, id
LIMIT CAST(@page_size AS bigint);

-- name: ListBoardIssues :many
-- As ListIssues; what is read of the index starts and ends with the columns that are asked for.
SELECT id, board, status, position, parent_id, content, description_hash, version, created_at, updated_at, waiting, conflicting
FROM card
WHERE team_id = @team_id AND board = @board AND status >= @first_status AND status <= @last_status
  AND (status, position, id) > (CAST(@after_status AS text), CAST(@after_position AS bigint), CAST(@after_id AS text))
  AND (CAST(sqlc.narg('type') AS text) IS NULL OR type = CAST(sqlc.narg('type') AS text))
  AND (CAST(sqlc.narg('parent') AS text) IS NULL OR parent_id = CAST(sqlc.narg('parent') AS text))
  AND (CAST(sqlc.narg('agent') AS bigint) IS NULL OR agent = CAST(sqlc.narg('agent') AS bigint))
  AND (CAST(sqlc.narg('text_key') AS text) IS NULL
    OR REPLACE(title_key, CAST(sqlc.narg('text_key') AS text), '') <> title_key
    OR REPLACE(UPPER(id), CAST(sqlc.narg('text_key') AS text), '') <> UPPER(id))
  AND (CAST(sqlc.narg('ready') AS bigint) IS NULL OR CAST(sqlc.narg('ready') AS bigint) =
    CASE WHEN status = 'ToDo' AND stuck = 0 AND waiting = 0 AND conflicting = 0 THEN 1 ELSE 0 END)
ORDER BY status, position, id
LIMIT CAST(@page_size AS bigint);

-- name: ListChildren :many
SELECT id, board, status, position, parent_id, content, description_hash, version, created_at, updated_at, waiting, conflicting
FROM card
WHERE team_id = @team_id AND parent_id = CAST(@parent_id AS text)
ORDER BY board, status, position, id;

-- name: IssueLink :one
SELECT id, board, status, content FROM issue WHERE team_id = @team_id AND id = @id;

-- name: IssueDescription :one
SELECT description FROM issue WHERE team_id = @team_id AND id = @id;

-- name: CreateIssue :exec
INSERT INTO issue (team_id, id, board, number, status, position, parent_id, last_item, version, created_at, updated_at,
  waiting_reason, title_key, content, description_hash, description)
VALUES (@team_id, @id, @board, @number, @status, @position, CAST(sqlc.narg('parent_id') AS text), 0, 1, @created_at, @updated_at,
  '', @title_key, @content, @description_hash, @description);

-- name: SaveIssue :execrows
UPDATE issue
SET parent_id = CAST(sqlc.narg('parent_id') AS text),
    version = @version,
    updated_at = @updated_at,
    title_key = @title_key,
    content = @content
WHERE team_id = @team_id AND id = @id;

-- name: SaveIssueDescription :execrows
UPDATE issue SET description = @description, description_hash = @description_hash WHERE team_id = @team_id AND id = @id;
