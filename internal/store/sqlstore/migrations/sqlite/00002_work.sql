-- +goose Up

-- The tables of ../postgres, which explains them, in SQLite's words.

CREATE TABLE team_log (
  team_id TEXT NOT NULL PRIMARY KEY REFERENCES team (id),
  head INTEGER NOT NULL
) STRICT;
INSERT INTO team_log (team_id, head) SELECT id, 0 FROM team;

CREATE TABLE board (
  team_id TEXT NOT NULL REFERENCES team (id),
  ref INTEGER NOT NULL,
  prefix TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  repo TEXT,
  last_issue INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (team_id, ref)
) STRICT;
CREATE UNIQUE INDEX board_prefix ON board (team_id, prefix);

CREATE TABLE issue (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  board INTEGER NOT NULL,
  number INTEGER NOT NULL,
  status TEXT NOT NULL,
  position INTEGER NOT NULL,
  parent_id TEXT,
  type TEXT NOT NULL GENERATED ALWAYS AS (json_extract(content, '$.type')) STORED,
  agent INTEGER GENERATED ALWAYS AS (json_extract(content, '$.assigned_agent')) STORED,
  stuck INTEGER NOT NULL GENERATED ALWAYS AS (
    CASE WHEN json_type(content, '$.blocked') IS NULL AND json_type(content, '$.requires_human') IS NULL
      THEN 0 ELSE 1 END) STORED,
  last_item INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  waiting_reason TEXT NOT NULL,
  title_key TEXT NOT NULL,
  content TEXT NOT NULL,
  description_hash TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (team_id, id),
  FOREIGN KEY (team_id, board) REFERENCES board (team_id, ref),
  FOREIGN KEY (team_id, parent_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, agent) REFERENCES agent (team_id, number)
) STRICT;
CREATE INDEX issue_list ON issue (team_id, board, status, position, id);
CREATE INDEX issue_parent ON issue (team_id, parent_id, board, status, position, id);

CREATE TABLE dependency (
  team_id TEXT NOT NULL,
  issue_id TEXT NOT NULL,
  on_id TEXT NOT NULL,
  PRIMARY KEY (team_id, issue_id, on_id),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, on_id) REFERENCES issue (team_id, id)
) STRICT;
CREATE INDEX dependency_on ON dependency (team_id, on_id, issue_id);

CREATE TABLE issue_conflict (
  team_id TEXT NOT NULL,
  issue_id TEXT NOT NULL,
  other_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (team_id, issue_id, other_id),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, other_id) REFERENCES issue (team_id, id)
) STRICT;

CREATE TABLE acceptance_item (
  team_id TEXT NOT NULL,
  issue_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  title TEXT NOT NULL,
  checked INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (team_id, issue_id, number),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id)
) STRICT;

CREATE TABLE comment (
  team_id TEXT NOT NULL,
  issue_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (team_id, issue_id, number),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id)
) STRICT;

CREATE TABLE attachment (
  team_id TEXT NOT NULL,
  id TEXT NOT NULL,
  issue_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (team_id, id),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id)
) STRICT;
CREATE INDEX attachment_list ON attachment (team_id, issue_id, at, id);

CREATE TABLE event (
  team_id TEXT NOT NULL REFERENCES team_log (team_id),
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  board INTEGER,
  issue_id TEXT,
  key_id TEXT,
  version INTEGER,
  actor TEXT NOT NULL,
  changes TEXT NOT NULL,
  PRIMARY KEY (team_id, number),
  FOREIGN KEY (team_id, board) REFERENCES board (team_id, ref),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id)
) STRICT;
CREATE INDEX event_issue ON event (team_id, issue_id, number);

CREATE TABLE once (
  team_id TEXT NOT NULL REFERENCES team (id),
  caller TEXT NOT NULL,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (team_id, caller, operation, key)
) STRICT;
CREATE INDEX once_age ON once (team_id, at);
CREATE INDEX access_request_key ON access_request (team_id, key_id);

CREATE VIEW card AS
SELECT issue.team_id, issue.id, issue.board, issue.status, issue.position, issue.parent_id, issue.content, issue.type,
  issue.agent, issue.stuck, issue.title_key, issue.description_hash, issue.version, issue.created_at, issue.updated_at,
  CAST(CASE WHEN EXISTS (
    SELECT 1 FROM dependency AS d CROSS JOIN issue AS o
    WHERE d.team_id = issue.team_id AND d.issue_id = issue.id AND o.team_id = d.team_id AND o.id = d.on_id
      AND o.status NOT IN ('Done', 'Cancelled')
  ) THEN 1 ELSE 0 END AS bigint) AS waiting,
  CAST(CASE WHEN EXISTS (
    SELECT 1 FROM issue_conflict AS c CROSS JOIN issue AS o
    WHERE c.team_id = issue.team_id AND c.issue_id = issue.id AND o.team_id = c.team_id AND o.id = c.other_id
      AND o.status = 'In Progress'
  ) THEN 1 ELSE 0 END AS bigint) AS conflicting
FROM issue;
