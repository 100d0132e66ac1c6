-- name: CreatePermissionRequest :execrows
INSERT INTO permission_request (public_id, team_id, key_id, owner_id, permissions, reason, address, confirm_code, digest, status, created_at, expires_at)
SELECT CAST(@public_id AS text), agent_key.team_id, agent_key.id, agent_key.owner_id, CAST(@permissions AS text), CAST(@reason AS text),
  CAST(@address AS text), CAST(@confirm_code AS text), CAST(@digest AS text), 'pending', CAST(@created_at AS bigint), CAST(@expires_at AS bigint)
FROM agent_key
WHERE agent_key.team_id = @team_id AND agent_key.id = @key_id AND agent_key.owner_id = @owner_id
  AND agent_key.revoked_at IS NULL AND agent_key.last_used_at >= CAST(@live_since AS bigint);

-- name: PermissionRequestByID :one
SELECT sqlc.embed(permission_request), sqlc.embed(agent_key), person.name AS owner_name
FROM permission_request
JOIN agent_key ON agent_key.team_id = permission_request.team_id AND agent_key.id = permission_request.key_id
JOIN person ON person.team_id = agent_key.team_id AND person.id = agent_key.owner_id
WHERE permission_request.public_id = @public_id AND permission_request.team_id = @team_id;

-- name: ListPermissionRequests :many
SELECT sqlc.embed(permission_request), sqlc.embed(agent_key), person.name AS owner_name
FROM permission_request
JOIN agent_key ON agent_key.team_id = permission_request.team_id AND agent_key.id = permission_request.key_id
JOIN person ON person.team_id = agent_key.team_id AND person.id = agent_key.owner_id
WHERE permission_request.team_id = @team_id AND permission_request.owner_id = @owner_id
  AND (permission_request.created_at, permission_request.public_id) < (CAST(@after_at AS bigint), CAST(@after_id AS text))
  AND (CAST(sqlc.narg('status') AS text) IS NULL OR CAST(sqlc.narg('status') AS text) =
    CASE WHEN permission_request.status = 'pending' AND permission_request.expires_at <= CAST(@now AS bigint)
      THEN 'expired' ELSE permission_request.status END)
  AND (CAST(sqlc.narg('waiting') AS bigint) IS NULL OR CAST(sqlc.narg('waiting') AS bigint) =
    CASE WHEN permission_request.status = 'pending' AND permission_request.expires_at > CAST(@now AS bigint) THEN 1 ELSE 0 END)
ORDER BY permission_request.created_at DESC, permission_request.public_id DESC
LIMIT CAST(@page_size AS bigint);

-- name: DecidePermissionRequest :execrows
UPDATE permission_request
SET status = @status,
    decided_at = CAST(@decided_at AS bigint),
    decided_by_name = CAST(@decided_by_name AS text),
    note = CAST(@note AS text)
WHERE public_id = @public_id AND team_id = @team_id AND owner_id = @owner_id
  AND status = 'pending' AND digest = @digest AND expires_at > CAST(@decided_at AS bigint);

-- name: ForgetPermissionRequests :execrows
DELETE FROM permission_request
WHERE (status = 'pending' AND expires_at < CAST(@before AS bigint))
   OR (status <> 'pending' AND decided_at < CAST(@before AS bigint));

-- name: GrantKey :execrows
UPDATE agent_key SET permissions = @permissions
WHERE team_id = @team_id AND id = @id AND revoked_at IS NULL AND last_used_at >= CAST(@live_since AS bigint);
