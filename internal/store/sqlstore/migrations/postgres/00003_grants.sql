-- +goose Up

CREATE TABLE permission_request (
  public_id text COLLATE "C" NOT NULL PRIMARY KEY,
  team_id text NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  owner_id text NOT NULL, -- of the key, who alone decides
  permissions text NOT NULL,
  reason text NOT NULL,
  address text NOT NULL,
  confirm_code text NOT NULL,
  digest text NOT NULL,
  status text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  decided_at bigint,
  decided_by_name text, -- the owner's, as it was then
  note text,
  FOREIGN KEY (team_id, key_id) REFERENCES agent_key (team_id, id),
  FOREIGN KEY (team_id, owner_id) REFERENCES person (team_id, id)
);
CREATE INDEX permission_request_list ON permission_request (team_id, owner_id, created_at, public_id);

CREATE TABLE audit (
  team_id text NOT NULL REFERENCES team (id),
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  action text NOT NULL,
  content text NOT NULL, -- the contract's JSON, whole
  PRIMARY KEY (team_id, id)
);
CREATE INDEX audit_list ON audit (team_id, at, id);
CREATE INDEX audit_action_list ON audit (team_id, action, at, id);

CREATE TABLE image (
  team_id text NOT NULL REFERENCES team (id),
  id text NOT NULL,
  at bigint NOT NULL,
  content_type text NOT NULL,
  bytes bigint NOT NULL,
  sha256 text NOT NULL,
  actor text NOT NULL,
  PRIMARY KEY (team_id, id)
);

ALTER TABLE attachment ADD COLUMN blob text NOT NULL DEFAULT ''; -- of rows from before: the blob named like the attachment
