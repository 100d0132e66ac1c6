-- +goose Up

-- What teams work on. The ids of cards and their statuses compare byte by byte, as in SQLite: lists are ordered by
-- them. Who did something (actor) and what changed are JSON in text.

-- The log of a team is numbered by its head, which every change of the team locks first: the numbers of events go up
-- in the order in which they can be seen.
CREATE TABLE team_log (
  team_id text NOT NULL PRIMARY KEY REFERENCES team (id),
  head bigint NOT NULL -- the number of the newest event; 0 where there is none
);
INSERT INTO team_log (team_id, head) SELECT id, 0 FROM team;

CREATE TABLE board (
  team_id text NOT NULL REFERENCES team (id),
  ref bigint NOT NULL,
  prefix text NOT NULL,
  name text NOT NULL,
  description text,
  repo text,
  last_issue bigint NOT NULL, -- the number of its newest card
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (team_id, ref)
);
CREATE UNIQUE INDEX board_prefix ON board (team_id, prefix);

-- A card. What it says is content: the contract's JSON, without the members that stand in columns or are made of other
-- rows. So a new member needs no new column, unless a query asks for it: those are generated from content.
CREATE TABLE issue (
  team_id text NOT NULL,
  id text COLLATE "C" NOT NULL,
  board bigint NOT NULL,
  number bigint NOT NULL, -- on its board
  status text COLLATE "C" NOT NULL,
  position bigint NOT NULL, -- in its column; gaps are left, so that a card goes between two without moving any
  parent_id text COLLATE "C",
  type text NOT NULL GENERATED ALWAYS AS (CAST(content AS jsonb) ->> 'type') STORED,
  agent bigint GENERATED ALWAYS AS (CAST(CAST(content AS jsonb) ->> 'assigned_agent' AS bigint)) STORED,
  stuck bigint NOT NULL GENERATED ALWAYS AS ( -- 1 if a gate is shut whatever other cards do
    CASE WHEN CAST(content AS jsonb) -> 'blocked' IS NULL AND CAST(content AS jsonb) -> 'requires_human' IS NULL
      THEN 0 ELSE 1 END) STORED,
  last_item bigint NOT NULL, -- the number of its newest acceptance item, removed or not
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  waiting_reason text NOT NULL, -- why it waits for others
  title_key text NOT NULL, -- the title without regard to case
  content text NOT NULL,
  description_hash text NOT NULL,
  description text NOT NULL, -- long, and so last: SQLite reads a row from its start to the last column asked for
  PRIMARY KEY (team_id, id),
  FOREIGN KEY (team_id, board) REFERENCES board (team_id, ref),
  FOREIGN KEY (team_id, parent_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, agent) REFERENCES agent (team_id, number)
);
CREATE INDEX issue_list ON issue (team_id, board, status, position, id);
CREATE INDEX issue_parent ON issue (team_id, parent_id, board, status, position, id);

-- issue_id waits for on_id.
CREATE TABLE dependency (
  team_id text NOT NULL,
  issue_id text COLLATE "C" NOT NULL,
  on_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (team_id, issue_id, on_id),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, on_id) REFERENCES issue (team_id, id)
);
CREATE INDEX dependency_on ON dependency (team_id, on_id, issue_id);

-- Two rows for each pair, one for each card to find the other by.
CREATE TABLE issue_conflict (
  team_id text NOT NULL,
  issue_id text COLLATE "C" NOT NULL,
  other_id text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (team_id, issue_id, other_id),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, other_id) REFERENCES issue (team_id, id)
);

CREATE TABLE acceptance_item (
  team_id text NOT NULL,
  issue_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  title text NOT NULL,
  checked smallint NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (team_id, issue_id, number),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id)
);

CREATE TABLE comment (
  team_id text NOT NULL,
  issue_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  body text NOT NULL,
  actor text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (team_id, issue_id, number),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id)
);

-- The file itself is kept elsewhere, under the id.
CREATE TABLE attachment (
  team_id text NOT NULL,
  id text COLLATE "C" NOT NULL,
  issue_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  content text NOT NULL, -- the contract's JSON, whole
  PRIMARY KEY (team_id, id),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id)
);
CREATE INDEX attachment_list ON attachment (team_id, issue_id, at, id);

CREATE TABLE event (
  team_id text NOT NULL REFERENCES team_log (team_id),
  number bigint NOT NULL,
  kind text NOT NULL,
  at bigint NOT NULL,
  board bigint,
  issue_id text COLLATE "C",
  key_id text COLLATE "C", -- the key that it is about, and whose stream alone gets it
  version bigint,
  actor text NOT NULL,
  changes text NOT NULL,
  PRIMARY KEY (team_id, number),
  FOREIGN KEY (team_id, board) REFERENCES board (team_id, ref),
  FOREIGN KEY (team_id, issue_id) REFERENCES issue (team_id, id),
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id)
);
CREATE INDEX event_issue ON event (team_id, issue_id, number);

-- What calls that are to create once created.
CREATE TABLE once (
  team_id text NOT NULL REFERENCES team (id),
  caller text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL, -- as the caller chose it
  digest text NOT NULL, -- of the call
  subject text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (team_id, caller, operation, key)
);
CREATE INDEX once_age ON once (team_id, at);

-- Collecting a key looks for the request that it is of.
CREATE INDEX access_request_key ON access_request (team_id, key_id);

-- A card as it is read and filtered: without its long text, with the gates that other cards shut. A CROSS JOIN is one that
-- SQLite takes in the order in which it is written: from the few rows of a card to those that they name.
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
