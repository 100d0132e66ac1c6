-- name: IssueNeeds :many
-- What a card waits for, and of an Epic its children; one that is both, twice.
SELECT dependency.on_id AS id FROM dependency WHERE dependency.team_id = @team_id AND dependency.issue_id = @issue_id
UNION ALL
SELECT issue.id FROM issue WHERE issue.team_id = @team_id AND issue.parent_id = CAST(@issue_id AS text);

-- name: IssueWaiting :many
-- A row for each card that it waits for, and one without where there is none.
SELECT issue.waiting_reason, COALESCE(other.id, '') AS other_id, COALESCE(other.board, 0) AS board, COALESCE(other.status, '') AS status, COALESCE(other.content, '') AS content
FROM issue
LEFT JOIN dependency ON dependency.team_id = issue.team_id AND dependency.issue_id = issue.id
LEFT JOIN issue AS other ON other.team_id = dependency.team_id AND other.id = dependency.on_id
WHERE issue.team_id = @team_id AND issue.id = @id
ORDER BY other.id;

-- name: IssueBlocks :many
SELECT issue.id, issue.board, issue.status, issue.content
FROM dependency
CROSS JOIN issue
WHERE dependency.team_id = @team_id AND dependency.on_id = @on_id
  AND issue.team_id = dependency.team_id AND issue.id = dependency.issue_id
ORDER BY dependency.issue_id;

-- name: IssueConflicts :many
SELECT issue.id, issue.board, issue.status, issue.content, issue_conflict.reason
FROM issue_conflict
CROSS JOIN issue
WHERE issue_conflict.team_id = @team_id AND issue_conflict.issue_id = @issue_id
  AND issue.team_id = issue_conflict.team_id AND issue.id = issue_conflict.other_id
ORDER BY issue_conflict.other_id;

-- name: SetWaitingReason :execrows
UPDATE issue SET waiting_reason = @waiting_reason WHERE team_id = @team_id AND id = @id;

-- name: ForgetDependencies :exec
DELETE FROM dependency WHERE team_id = @team_id AND issue_id = @issue_id;

-- name: CreateDependency :exec
INSERT INTO dependency (team_id, issue_id, on_id) VALUES (@team_id, @issue_id, @on_id);

-- name: SetConflict :exec
INSERT INTO issue_conflict (team_id, issue_id, other_id, reason) VALUES (@team_id, @issue_id, @other_id, @reason)
ON CONFLICT (team_id, issue_id, other_id) DO UPDATE SET reason = excluded.reason;

-- name: ClearConflict :execrows
DELETE FROM issue_conflict
WHERE team_id = @team_id AND ((issue_id = @one AND other_id = @other) OR (issue_id = @other AND other_id = @one));
