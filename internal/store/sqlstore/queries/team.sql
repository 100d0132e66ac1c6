-- name: ListPeople :many
SELECT id, name FROM person WHERE team_id = @team_id;

-- name: ListAgents :many
SELECT number, name FROM agent WHERE team_id = @team_id ORDER BY number;
