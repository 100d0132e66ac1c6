-- name: BoardOfIssue :one
SELECT board FROM issue WHERE team_id = @team_id AND id = @id;

-- name: PositionInColumn :one
SELECT position FROM issue WHERE team_id = @team_id AND id = @id AND board = @board AND status = @status;

-- name: FirstPosition :one
SELECT position FROM issue
WHERE team_id = @team_id AND board = @board AND status = @status AND id <> @id
ORDER BY position, id
LIMIT 1;

-- name: LastPosition :one
SELECT position FROM issue
WHERE team_id = @team_id AND board = @board AND status = @status AND id <> @id
ORDER BY position DESC, id DESC
LIMIT 1;

-- name: NextPosition :one
SELECT position FROM issue
WHERE team_id = @team_id AND board = @board AND status = @status AND id <> @id AND position > @position
ORDER BY position, id
LIMIT 1;

-- name: PlaceIssue :exec
UPDATE issue SET status = @status, position = @position WHERE team_id = @team_id AND id = @id;

-- name: ListColumnAfter :many
SELECT id, position FROM issue
WHERE team_id = @team_id AND board = @board AND status = @status AND position > CAST(@after AS bigint)
ORDER BY position, id
LIMIT CAST(@most AS bigint);
