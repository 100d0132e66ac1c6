-- +goose Up

-- The tables of ../postgres, which explains them, in SQLite's words: STRICT, since SQLite otherwise takes any type.

-- Of two processes that start at once, one applies a migration: the other's fails here and is rolled back.
CREATE UNIQUE INDEX goose_db_version_once ON goose_db_version (version_id);

CREATE TABLE instance (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  setup_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE team (
  id TEXT NOT NULL PRIMARY KEY,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX team_slug ON team (slug);

CREATE TABLE person (
  id TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL REFERENCES team (id),
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  permissions TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX person_email ON person (email_key);
CREATE UNIQUE INDEX person_team ON person (team_id, id);

CREATE TABLE login (
  token_hash TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  csrf_token TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (team_id, person_id) REFERENCES person (team_id, id)
) STRICT;
CREATE INDEX login_expiry ON login (expires_at);

CREATE TABLE agent_key (
  id TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  prefix TEXT NOT NULL,
  title TEXT NOT NULL,
  permissions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  revoked_at INTEGER,
  revoked_by TEXT,
  revoked_by_name TEXT,
  FOREIGN KEY (team_id, owner_id) REFERENCES person (team_id, id)
) STRICT;
CREATE UNIQUE INDEX agent_key_hash ON agent_key (hash);
CREATE UNIQUE INDEX agent_key_team ON agent_key (team_id, id);
CREATE INDEX agent_key_list ON agent_key (team_id, created_at, id);
CREATE INDEX agent_key_owner_list ON agent_key (team_id, owner_id, created_at, id);

CREATE TABLE access_request (
  public_id TEXT NOT NULL PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  team_id TEXT REFERENCES team (id),
  by_link INTEGER NOT NULL,
  title TEXT NOT NULL,
  client TEXT NOT NULL,
  address TEXT NOT NULL,
  confirm_code TEXT NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  decided_by_name TEXT,
  note TEXT,
  permissions TEXT,
  key_id TEXT,
  FOREIGN KEY (team_id, decided_by) REFERENCES person (team_id, id),
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE UNIQUE INDEX access_request_secret ON access_request (secret_hash);
CREATE INDEX access_request_list ON access_request (team_id, created_at, public_id);

CREATE TABLE agent (
  team_id TEXT NOT NULL REFERENCES team (id),
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (team_id, number)
) STRICT;

CREATE TABLE plan_session (
  id TEXT NOT NULL PRIMARY KEY,
  team_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  agent_number INTEGER NOT NULL,
  title TEXT NOT NULL,
  connected_at INTEGER NOT NULL,
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id),
  FOREIGN KEY (team_id, agent_number) REFERENCES agent (team_id, number)
) STRICT;
CREATE UNIQUE INDEX plan_session_key ON plan_session (key_id);
CREATE UNIQUE INDEX plan_session_agent ON plan_session (team_id, agent_number);
