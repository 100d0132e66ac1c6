-- name: StartLog :exec
INSERT INTO team_log (team_id, head) VALUES (@team_id, 0);

-- name: LockLog :one
-- Whoever changes what a team has holds this row until it is done.
UPDATE team_log SET head = head WHERE team_id = @team_id RETURNING head;

-- name: LogHead :one
SELECT head FROM team_log WHERE team_id = @team_id;

-- name: AdvanceLog :one
UPDATE team_log SET head = head + CAST(@events AS bigint) WHERE team_id = @team_id RETURNING head;

-- name: CreateEvent :exec
INSERT INTO event (team_id, number, kind, at, board, issue_id, key_id, version, actor, changes)
VALUES (@team_id, @number, @kind, @at, CAST(sqlc.narg('board') AS bigint), CAST(sqlc.narg('issue_id') AS text),
  CAST(sqlc.narg('key_id') AS text), CAST(sqlc.narg('version') AS bigint), @actor, @changes);

-- name: ListEvents :many
SELECT * FROM event WHERE team_id = @team_id AND number > CAST(@after_number AS bigint)
ORDER BY number
LIMIT CAST(@page_size AS bigint);

-- name: ListIssueEvents :many
SELECT * FROM event WHERE team_id = @team_id AND issue_id = CAST(@issue_id AS text) AND number < CAST(@before_number AS bigint)
ORDER BY number DESC
LIMIT CAST(@page_size AS bigint);
