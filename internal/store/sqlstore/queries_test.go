// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/testkit"
)

// The generated package is made for PostgreSQL and runs on SQLite too. So the same queries are generated for SQLite,
// over its own tables: they have to be queries there, and make the same code but for the sign before an argument.
func TestQueriesAreTheSameForSQLite(t *testing.T) {
	made := filepath.Join(sqliteQueries(t), "sqlite")
	const committed = "../../../gen/sqldb"
	files, err := os.ReadDir(committed)
	if err != nil {
		t.Fatal(err)
	}
	argument := regexp.MustCompile(`\?(\d+)`)
	for _, f := range files {
		if f.Name() == "doc.gen.go" { // the package's comment, which sqlc does not write
			continue
		}
		want, err := os.ReadFile(filepath.Join(committed, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(made, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), argument.ReplaceAllString(string(got), "$$$1")); diff != "" {
			t.Errorf("%s differs for SQLite, or go generate was not run (-postgresql +sqlite):\n%s", f.Name(), diff)
		}
	}
}

// sqliteQueries generates the queries for SQLite and returns the folder.
func sqliteQueries(t *testing.T) string {
	config, err := os.ReadFile("sqlc.yaml")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	from, err := filepath.Rel(dir, here) // the generator takes no absolute path
	if err != nil {
		t.Fatal(err)
	}
	text, _, ok := strings.Cut(string(config), "        overrides:") // SQLite's types need none
	if !ok {
		t.Fatal("sqlc.yaml has no overrides at its end")
	}
	for was, is := range map[string]string{
		"engine: postgresql\n":                "engine: sqlite\n",
		"schema: migrations/postgres\n":       "schema: " + filepath.ToSlash(from) + "/migrations/sqlite\n",
		"queries: queries\n":                  "queries: " + filepath.ToSlash(from) + "/queries\n",
		"out: ../../../gen/sqldb\n":           "out: sqlite\n",
		"        sql_package: database/sql\n": "        emit_pointers_for_null_types: true\n",
	} {
		if strings.Count(text, was) != 1 {
			t.Fatalf("sqlc.yaml does not hold %q once", was)
		}
		text = strings.Replace(text, was, is, 1)
	}
	file := filepath.Join(dir, "sqlc.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	generate := exec.CommandContext(t.Context(), "go", "tool", "-modfile=tools/pins/go.mod", "sqlc", "generate", "-f", file)
	generate.Dir = filepath.Join(here, "../../..")
	if os.Getenv("CI") == "" {
		generate.Env = append(os.Environ(), "GOPROXY=off") // a test downloads nothing
	}
	out, err := generate.CombinedOutput()
	if err != nil && strings.Contains(string(out), "GOPROXY=off") && os.Getenv("CI") == "" {
		t.Skip("no sqlc: go generate ./... fetches it")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// Whatever a team has, a query finds its rows by an index and reads no more of the team than it answers. SQLite plans
// by the query alone here, as it has no statistics; without an index on its side a join can go the wrong way round.
func TestQueriesReadWhatTheyAnswer(t *testing.T) {
	all := []string{ // what they are to read is all there is, in the team or in the database
		"NextBoardRef", "ListPeople", "ListAgents", "NextAgentNumber", "FreeAgent", "CountTeams", "ForgetAccessRequests",
		"ForgetPermissionRequests",
	}
	_, read := open(t, testkit.SQLite.Fresh(t)).Pools()
	files, err := filepath.Glob("../../../gen/sqldb/*.sql.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range regexp.MustCompile("(?s)`-- name: (\\w+).*?\n(.*?)`").FindAllStringSubmatch(string(text), -1) {
			name, query := q[1], q[2]
			for _, step := range plan(t, read, query) {
				whole := strings.HasPrefix(step, "SCAN") || strings.HasSuffix(step, "(team_id=?)") && !strings.Contains(step, "team_log")
				if whole && !slices.Contains(all, name) {
					t.Errorf("%s: %s", name, step)
				}
			}
		}
	}
}

func plan(t *testing.T, db *sql.DB, query string) (steps []string) {
	t.Helper()
	var args []any
	for strings.Contains(query, fmt.Sprintf("$%d", len(args)+1)) {
		args = append(args, 0)
	}
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}
