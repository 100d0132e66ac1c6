-- name: LockTeamOfKey :execrows
-- Whoever connects holds the team's row until it is done, so that no two take the same agent.
UPDATE team SET name = name
WHERE team.id = @team_id AND EXISTS (SELECT 1 FROM agent_key WHERE agent_key.id = @key_id AND agent_key.team_id = @team_id);

-- name: RetitlePlanSession :execrows
UPDATE plan_session SET title = @title WHERE key_id = @key_id;

-- name: PlanSessionByKey :one
SELECT sqlc.embed(plan_session), agent.name AS agent_name
FROM plan_session
JOIN agent ON agent.team_id = plan_session.team_id AND agent.number = plan_session.agent_number
WHERE plan_session.key_id = @key_id;

-- name: FreeAgent :one
SELECT agent.number FROM agent
WHERE agent.team_id = @team_id AND NOT EXISTS (
  SELECT 1 FROM plan_session
  JOIN agent_key ON agent_key.id = plan_session.key_id
  WHERE plan_session.team_id = agent.team_id AND plan_session.agent_number = agent.number
    AND agent_key.revoked_at IS NULL AND agent_key.last_used_at >= CAST(@live_since AS bigint))
ORDER BY agent.number
LIMIT 1;

-- name: NextAgentNumber :one
SELECT CAST(COALESCE(MAX(number), 0) + 1 AS bigint) AS number FROM agent WHERE team_id = @team_id;

-- name: CreateAgent :exec
INSERT INTO agent (team_id, number, name) VALUES (@team_id, @number, @name);

-- name: EndPlanSessionOfAgent :exec
DELETE FROM plan_session WHERE team_id = @team_id AND agent_number = @agent_number;

-- name: CreatePlanSession :exec
INSERT INTO plan_session (id, team_id, key_id, agent_number, title, connected_at)
VALUES (@id, @team_id, @key_id, @agent_number, @title, @connected_at);

-- name: EndPlanSession :execrows
DELETE FROM plan_session WHERE key_id = @key_id;
