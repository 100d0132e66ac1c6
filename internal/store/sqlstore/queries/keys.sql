-- name: CreateKey :exec
INSERT INTO agent_key (id, team_id, owner_id, hash, prefix, title, permissions, created_at, last_used_at)
VALUES (@id, @team_id, @owner_id, @hash, @prefix, @title, @permissions, @created_at, @last_used_at);

-- name: KeyByHash :one
SELECT sqlc.embed(agent_key), sqlc.embed(team), person.name AS owner_name
FROM agent_key
JOIN team ON team.id = agent_key.team_id
JOIN person ON person.id = agent_key.owner_id
WHERE agent_key.hash = @hash;

-- name: TouchKey :exec
UPDATE agent_key SET last_used_at = CAST(@used_at AS bigint)
WHERE id = @id AND last_used_at < CAST(@used_at AS bigint);

-- name: ListKeys :many
SELECT sqlc.embed(agent_key), person.name AS owner_name
FROM agent_key
JOIN person ON person.id = agent_key.owner_id
WHERE agent_key.team_id = @team_id
  AND (agent_key.created_at, agent_key.id) < (CAST(@after_at AS bigint), CAST(@after_id AS text))
ORDER BY agent_key.created_at DESC, agent_key.id DESC
LIMIT CAST(@page_size AS bigint);

-- name: ListOwnerKeys :many
SELECT sqlc.embed(agent_key), person.name AS owner_name
FROM agent_key
JOIN person ON person.id = agent_key.owner_id
WHERE agent_key.team_id = @team_id AND agent_key.owner_id = @owner_id
  AND (agent_key.created_at, agent_key.id) < (CAST(@after_at AS bigint), CAST(@after_id AS text))
ORDER BY agent_key.created_at DESC, agent_key.id DESC
LIMIT CAST(@page_size AS bigint);

-- name: RevokeKey :execrows
UPDATE agent_key
SET revoked_at = CAST(@revoked_at AS bigint),
    revoked_by = CAST(@revoked_by AS text),
    revoked_by_name = CAST(@revoked_by_name AS text)
WHERE id = @id AND team_id = @team_id AND revoked_at IS NULL
  AND (CAST(sqlc.narg('owner_id') AS text) IS NULL OR owner_id = CAST(sqlc.narg('owner_id') AS text));

-- name: CountKeys :one
SELECT COUNT(*) FROM agent_key
WHERE id = @id AND team_id = @team_id
  AND (CAST(sqlc.narg('owner_id') AS text) IS NULL OR owner_id = CAST(sqlc.narg('owner_id') AS text));

-- name: KeyByID :one
SELECT sqlc.embed(agent_key), person.name AS owner_name
FROM agent_key
JOIN person ON person.id = agent_key.owner_id
WHERE agent_key.team_id = @team_id AND agent_key.id = @id;
