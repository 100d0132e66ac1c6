-- +goose Up

-- The tables of ../postgres, which explains them, in SQLite's words.

CREATE TABLE permission_request (
  public_id TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  permissions TEXT NOT NULL,
  reason TEXT NOT NULL,
  address TEXT NOT NULL,
  confirm_code TEXT NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by_name TEXT,
  note TEXT,
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id),
  FOREIGN KEY (team_id, owner_id) REFERENCES person (team_id, id)
) STRICT;
CREATE INDEX permission_request_list ON permission_request (team_id, owner_id, created_at, public_id);

CREATE TABLE audit (
  team_id TEXT NOT NULL REFERENCES team (id),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (team_id, id)
) STRICT;
CREATE INDEX audit_list ON audit (team_id, at, id);
CREATE INDEX audit_action_list ON audit (team_id, action, at, id);

CREATE TABLE image (
  team_id TEXT NOT NULL REFERENCES team (id),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  actor TEXT NOT NULL,
  PRIMARY KEY (team_id, id)
) STRICT;

ALTER TABLE attachment ADD COLUMN blob TEXT NOT NULL DEFAULT '';
