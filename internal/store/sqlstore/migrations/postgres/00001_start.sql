-- +goose Up

-- Every row belongs to a team, and foreign keys carry the team with them: a row cannot point at another team's. The
-- exceptions are rows that are there before a team is: the instance, and an access request that named no team.
-- Times are milliseconds since 1970. Lists of permissions and the asking client are JSON in text. Ids that lists are
-- ordered by compare byte by byte, as in SQLite, whatever the database's own collation.

CREATE TABLE instance (
  id smallint NOT NULL PRIMARY KEY CHECK (id = 1),
  name text NOT NULL,
  setup_hash text, -- of the token that makes the first team, while one is on offer
  created_at bigint NOT NULL
);

CREATE TABLE team (
  id text NOT NULL PRIMARY KEY,
  slug text NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX team_slug ON team (slug);

CREATE TABLE person (
  id text NOT NULL PRIMARY KEY,
  team_id text NOT NULL REFERENCES team (id),
  name text NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL, -- the address without regard to case
  password_hash text NOT NULL,
  permissions text NOT NULL,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX person_email ON person (email_key);
CREATE UNIQUE INDEX person_team ON person (team_id, id);

CREATE TABLE login (
  token_hash text NOT NULL PRIMARY KEY,
  team_id text NOT NULL,
  person_id text NOT NULL,
  csrf_token text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  FOREIGN KEY (team_id, person_id) REFERENCES person (team_id, id)
);
CREATE INDEX login_expiry ON login (expires_at);

CREATE TABLE agent_key (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  team_id text NOT NULL,
  owner_id text NOT NULL,
  hash text NOT NULL,
  prefix text NOT NULL,
  title text NOT NULL,
  permissions text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint NOT NULL,
  revoked_at bigint,
  revoked_by text,
  revoked_by_name text, -- as it was then
  FOREIGN KEY (team_id, owner_id) REFERENCES person (team_id, id)
);
CREATE UNIQUE INDEX agent_key_hash ON agent_key (hash);
CREATE UNIQUE INDEX agent_key_team ON agent_key (team_id, id);
CREATE INDEX agent_key_list ON agent_key (team_id, created_at, id);
CREATE INDEX agent_key_owner_list ON agent_key (team_id, owner_id, created_at, id);

CREATE TABLE access_request (
  public_id text COLLATE "C" NOT NULL PRIMARY KEY,
  secret_hash text NOT NULL,
  team_id text REFERENCES team (id), -- whose it is: NULL while it is known by its link alone, then the decider's
  by_link smallint NOT NULL, -- 1 if it named no team
  title text NOT NULL,
  client text NOT NULL,
  address text NOT NULL,
  confirm_code text NOT NULL,
  digest text NOT NULL,
  status text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  decided_at bigint,
  decided_by text,
  decided_by_name text, -- as it was then
  note text,
  permissions text,
  key_id text,
  FOREIGN KEY (team_id, decided_by) REFERENCES person (team_id, id),
  -- Deferred: the claim comes before the key that it points at, so that of two racing claims one makes no key.
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX access_request_secret ON access_request (secret_hash);
CREATE INDEX access_request_list ON access_request (team_id, created_at, public_id);

CREATE TABLE agent (
  team_id text NOT NULL REFERENCES team (id),
  number bigint NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (team_id, number)
);

CREATE TABLE plan_session (
  id text NOT NULL PRIMARY KEY,
  team_id text NOT NULL,
  key_id text NOT NULL,
  agent_number bigint NOT NULL,
  title text NOT NULL,
  connected_at bigint NOT NULL,
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id),
  FOREIGN KEY (team_id, agent_number) REFERENCES agent (team_id, number)
);
CREATE UNIQUE INDEX plan_session_key ON plan_session (key_id);
CREATE UNIQUE INDEX plan_session_agent ON plan_session (team_id, agent_number);
