-- name: NameInstance :exec
INSERT INTO instance (id, name, created_at) VALUES (1, @name, @created_at)
ON CONFLICT (id) DO NOTHING;

-- name: InstanceName :one
SELECT name FROM instance WHERE id = 1;

-- name: OfferSetup :exec
UPDATE instance SET setup_hash = CAST(@setup_hash AS text) WHERE id = 1;

-- name: TakeSetupOffer :execrows
UPDATE instance SET setup_hash = NULL WHERE id = 1 AND setup_hash = CAST(@setup_hash AS text);

-- name: CountTeams :one
SELECT COUNT(*) FROM team;

-- name: CreateTeam :exec
INSERT INTO team (id, slug, name, created_at) VALUES (@id, @slug, @name, @created_at);
