-- name: CreateAccessRequest :exec
INSERT INTO access_request (public_id, secret_hash, team_id, by_link, title, client, address, confirm_code, digest, status, created_at, expires_at)
VALUES (@public_id, @secret_hash, CAST(sqlc.narg('team_id') AS text), @by_link, @title, @client, @address, @confirm_code, @digest, 'pending', @created_at, @expires_at);

-- name: AccessRequestByID :one
SELECT sqlc.embed(access_request),
  CAST(COALESCE(team.slug, '') AS text) AS team_slug,
  CAST(COALESCE(team.name, '') AS text) AS team_name,
  CAST(COALESCE(team.created_at, 0) AS bigint) AS team_created_at
FROM access_request
LEFT JOIN team ON team.id = access_request.team_id
WHERE access_request.public_id = @public_id;

-- name: AccessRequestBySecret :one
SELECT sqlc.embed(access_request),
  CAST(COALESCE(team.slug, '') AS text) AS team_slug,
  CAST(COALESCE(team.name, '') AS text) AS team_name,
  CAST(COALESCE(team.created_at, 0) AS bigint) AS team_created_at
FROM access_request
LEFT JOIN team ON team.id = access_request.team_id
WHERE access_request.secret_hash = @secret_hash;

-- name: ListAccessRequests :many
SELECT sqlc.embed(access_request),
  CAST(COALESCE(team.slug, '') AS text) AS team_slug,
  CAST(COALESCE(team.name, '') AS text) AS team_name,
  CAST(COALESCE(team.created_at, 0) AS bigint) AS team_created_at
FROM access_request
LEFT JOIN team ON team.id = access_request.team_id
WHERE access_request.team_id = CAST(@team_id AS text)
  AND (access_request.created_at, access_request.public_id) < (CAST(@after_at AS bigint), CAST(@after_id AS text))
  AND (CAST(sqlc.narg('status') AS text) IS NULL OR CAST(sqlc.narg('status') AS text) =
    CASE WHEN access_request.status IN ('pending', 'approved') AND access_request.expires_at <= CAST(@now AS bigint)
      THEN 'expired' ELSE access_request.status END)
  AND (CAST(sqlc.narg('waiting') AS bigint) IS NULL OR CAST(sqlc.narg('waiting') AS bigint) =
    CASE WHEN access_request.status = 'pending' AND access_request.expires_at > CAST(@now AS bigint) THEN 1 ELSE 0 END)
ORDER BY access_request.created_at DESC, access_request.public_id DESC
LIMIT CAST(@page_size AS bigint);

-- name: DecideAccessRequest :execrows
UPDATE access_request
SET status = @status,
    team_id = CAST(@team_id AS text),
    expires_at = CAST(@collect_by AS bigint),
    decided_at = CAST(@decided_at AS bigint),
    decided_by = CAST(@decided_by AS text),
    decided_by_name = CAST(@decided_by_name AS text),
    note = CAST(@note AS text),
    permissions = CAST(sqlc.narg('permissions') AS text)
WHERE public_id = @public_id AND status = 'pending' AND digest = @digest
  AND expires_at > CAST(@decided_at AS bigint)
  AND (by_link = 1 OR team_id = CAST(@team_id AS text));

-- name: ClaimAccessRequest :execrows
UPDATE access_request SET status = 'claimed', key_id = CAST(@key_id AS text)
WHERE secret_hash = @secret_hash AND status = 'approved' AND team_id = CAST(@team_id AS text)
  AND expires_at > CAST(@now AS bigint);

-- name: ForgetAccessRequests :execrows
DELETE FROM access_request
WHERE (status IN ('pending', 'approved') AND expires_at < CAST(@before AS bigint))
   OR (status IN ('denied', 'revision_requested') AND decided_at < CAST(@before AS bigint));
