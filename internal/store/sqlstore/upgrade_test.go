// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/testkit"
)

// filled has a row for each table that a version brings, beside those of old: a database that holds something refuses
// what an empty one takes.
var filled = [][]string{
	{
		`INSERT INTO instance (id, name, created_at) VALUES (1, 'Acme', 1)`,
		`INSERT INTO login (token_hash, team_id, person_id, csrf_token, created_at, expires_at) VALUES ('login', 'team', 'person', 'c', 1, 2)`,
		`INSERT INTO access_request (public_id, secret_hash, team_id, by_link, title, client, address, confirm_code, digest, status, created_at, expires_at, key_id)
			VALUES ('asked', 's', 'team', 0, 't', '{}', '127.0.0.1', '123456', 'd', 'approved', 1, 2, 'key')`,
		`INSERT INTO agent (team_id, number, name) VALUES ('team', 1, 'Kestrel')`,
		`INSERT INTO plan_session (id, team_id, key_id, agent_number, title, connected_at) VALUES ('session', 'team', 'key', 1, 't', 1)`,
	},
	{
		`INSERT INTO team_log (team_id, head) VALUES ('team', 1), ('other', 0)`,
		`INSERT INTO board (team_id, ref, prefix, name, last_issue, version, created_at, updated_at) VALUES ('team', 1, 'SHOP', 'Shop', 2, 1, 1, 1)`,
		`INSERT INTO issue (team_id, id, board, number, status, position, last_item, version, created_at, updated_at, waiting_reason, title_key, content, description_hash, description)
			VALUES ('team', 'SHOP-1', 1, 1, 'ToDo', 1, 1, 1, 1, 1, '', 'mend', '{"title":"Mend","type":"Bug","assigned_agent":1}', '', ''),
			('team', 'SHOP-2', 1, 2, 'Done', 1, 0, 1, 1, 1, '', 'ship', '{"title":"Ship","type":"Feature"}', '', '')`,
		`INSERT INTO dependency (team_id, issue_id, on_id) VALUES ('team', 'SHOP-1', 'SHOP-2')`,
		`INSERT INTO issue_conflict (team_id, issue_id, other_id, reason) VALUES ('team', 'SHOP-1', 'SHOP-2', 'r'), ('team', 'SHOP-2', 'SHOP-1', 'r')`,
		`INSERT INTO acceptance_item (team_id, issue_id, number, title, checked, version) VALUES ('team', 'SHOP-1', 1, 'It holds', 0, 1)`,
		`INSERT INTO comment (team_id, issue_id, number, body, actor, at) VALUES ('team', 'SHOP-1', 1, 'b', '{}', 1)`,
		`INSERT INTO attachment (team_id, id, issue_id, at, content) VALUES ('team', 'file', 'SHOP-1', 1, '{"id":"file","filename":"notes.md"}')`,
		`INSERT INTO event (team_id, number, kind, at, board, issue_id, actor, changes) VALUES ('team', 1, 'issue.created', 1, 1, 'SHOP-1', '{}', '{}')`,
		`INSERT INTO once (team_id, caller, operation, key, digest, subject, at) VALUES ('team', 'key', 'createIssue', 'k', 'd', 'SHOP-1', 1)`,
	},
	{
		`INSERT INTO permission_request (public_id, team_id, key_id, owner_id, permissions, reason, address, confirm_code, digest, status, created_at, expires_at)
			VALUES ('more', 'team', 'key', 'person', '[]', 'r', '127.0.0.1', '123456', 'd', 'pending', 1, 2)`,
		`INSERT INTO audit (team_id, id, at, action, content) VALUES ('team', 'trail', 1, 'key.created', '{}')`,
		`INSERT INTO image (team_id, id, at, content_type, bytes, sha256, actor) VALUES ('team', 'image', 1, 'image/png', 1, 's', '{}')`,
	},
}

// What every earlier build kept is there after the upgrade to this one: each version's database is tried with rows in all
// of its tables.
func TestADatabaseThatHoldsSomethingIsBroughtUpToDate(t *testing.T) {
	known, err := os.ReadDir("migrations/sqlite")
	if err != nil || len(known) != len(filled) {
		t.Fatalf("%d versions, and rows for %d: add to filled what the tables of the newest may hold; %v", len(known), len(filled), err)
	}
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		for version := range filled {
			t.Run(fmt.Sprintf("from version %d", version+1), func(t *testing.T) {
				address := e.Fresh(t)
				old(t, e, address, int64(version+1), slices.Concat(filled[:version+1]...)...)
				before := counts(t, e, address)
				for table, n := range before {
					if n == 0 {
						t.Errorf("no row of %s was tried: add one to filled", table)
					}
				}
				s := open(t, address)
				after := counts(t, e, address)
				for table, n := range before {
					if now, there := after[table]; there && now != n {
						t.Errorf("%s had %d rows, and has %d", table, n, now)
					}
				}
				if version == 0 {
					return // before boards
				}
				if i, err := s.Of("team").Issue(t.Context(), 1, "SHOP-1"); err != nil || i.Title != "Mend" || i.AssignedAgent == nil {
					t.Errorf("the card is %+v, %v", i, err)
				}
			})
		}
	})
}

// A column that makes a card's member searchable is added to cards that are there, as docs/changing-the-contract.md says.
func TestAColumnIsAddedToCards(t *testing.T) {
	page, err := os.ReadFile("../../../docs/changing-the-contract.md")
	if err != nil {
		t.Fatal(err)
	}
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		_, rest, _ := strings.Cut(string(page), "-- migrations/"+e.Name+"\n")
		statement, _, ok := strings.Cut(rest, ";")
		if !ok {
			t.Fatalf("the page has no statement for %s", e.Name)
		}
		address := e.Fresh(t)
		old(t, e, address, 3, slices.Concat(filled[0], filled[1], []string{
			`UPDATE issue SET content = '{"type":"Bug","due_on":"2026-03-01"}' WHERE id = 'SHOP-1'`, statement,
		})...)
		if due := rows(t, database(t, e, address), `SELECT id || ' ' || due_on FROM issue WHERE due_on IS NOT NULL`); len(due) != 1 || due[0] != "SHOP-1 2026-03-01" {
			t.Errorf("due are %q", due)
		}
	})
}

// counts is how many rows each table has.
func counts(t *testing.T, e testkit.Engine, address string) map[string]int {
	t.Helper()
	db := database(t, e, address)
	list := map[string]string{
		testkit.SQLite.Name:   `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%'`,
		testkit.Postgres.Name: `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE 'goose%'`,
	}[e.Name]
	out := map[string]int{}
	for _, table := range rows(t, db, list) {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		out[table] = n
	}
	if len(out) == 0 {
		t.Fatal("no tables")
	}
	return out
}

// database is a connection beside the store's.
func database(t *testing.T, e testkit.Engine, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(map[string]string{testkit.SQLite.Name: "sqlite", testkit.Postgres.Name: "pgx"}[e.Name], address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
