-- name: Once :one
SELECT digest, subject FROM once
WHERE team_id = @team_id AND caller = @caller AND operation = @operation AND key = @key AND at >= CAST(@since AS bigint);

-- name: ForgetOnce :exec
DELETE FROM once WHERE team_id = @team_id AND at < CAST(@since AS bigint);

-- name: Remember :exec
INSERT INTO once (team_id, caller, operation, key, digest, subject, at)
VALUES (@team_id, @caller, @operation, @key, @digest, @subject, @at)
ON CONFLICT (team_id, caller, operation, key) DO UPDATE
SET digest = excluded.digest, subject = excluded.subject, at = excluded.at;
