-- name: TeamByRef :one
-- An id goes before a slug that looks like it: whoever picks a slug cannot stand in for another team.
SELECT * FROM team
WHERE team.id = @ref OR (team.slug = @ref AND NOT EXISTS (SELECT 1 FROM team AS other WHERE other.id = @ref));

-- name: CreatePerson :exec
INSERT INTO person (id, team_id, name, email, email_key, password_hash, permissions, created_at)
VALUES (@id, @team_id, @name, @email, @email_key, @password_hash, @permissions, @created_at);

-- name: PersonByEmail :one
SELECT * FROM person WHERE email_key = @email_key;

-- name: CreateLogin :exec
INSERT INTO login (token_hash, team_id, person_id, csrf_token, created_at, expires_at)
VALUES (@token_hash, @team_id, @person_id, @csrf_token, @created_at, @expires_at);

-- name: ForgetLogins :exec
DELETE FROM login WHERE expires_at <= @now;

-- name: LoginByToken :one
SELECT sqlc.embed(login), sqlc.embed(person), sqlc.embed(team)
FROM login
JOIN person ON person.id = login.person_id
JOIN team ON team.id = login.team_id
WHERE login.token_hash = @token_hash AND login.expires_at > CAST(@now AS bigint);

-- name: DeleteLogin :exec
DELETE FROM login WHERE token_hash = @token_hash;

-- name: PersonByID :one
SELECT * FROM person WHERE team_id = @team_id AND id = @id;
