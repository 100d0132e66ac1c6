-- name: BoardByRef :one
SELECT * FROM board WHERE team_id = @team_id AND ref = @ref;

-- name: ListBoards :many
SELECT * FROM board WHERE team_id = @team_id AND ref > CAST(@after_ref AS bigint)
ORDER BY ref
LIMIT CAST(@page_size AS bigint);

-- name: CountIssues :many
SELECT board, status, COUNT(*) AS cards FROM issue
WHERE team_id = @team_id AND board >= CAST(@first_board AS bigint) AND board <= CAST(@last_board AS bigint)
GROUP BY board, status;

-- name: NextBoardRef :one
SELECT CAST(COALESCE(MAX(ref), 0) + 1 AS bigint) AS ref FROM board WHERE team_id = @team_id;

-- name: CreateBoard :exec
INSERT INTO board (team_id, ref, prefix, name, description, repo, last_issue, version, created_at, updated_at)
VALUES (@team_id, @ref, @prefix, @name, CAST(sqlc.narg('description') AS text), CAST(sqlc.narg('repo') AS text), 0, 1, @created_at, @updated_at);

-- name: SaveBoard :execrows
UPDATE board
SET name = @name,
    description = CAST(sqlc.narg('description') AS text),
    repo = CAST(sqlc.narg('repo') AS text),
    version = @version,
    updated_at = @updated_at
WHERE team_id = @team_id AND ref = @ref;

-- name: NumberIssue :one
UPDATE board SET last_issue = last_issue + 1 WHERE team_id = @team_id AND ref = @ref
RETURNING prefix, last_issue;
