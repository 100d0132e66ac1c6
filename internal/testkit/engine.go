// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	_ "github.com/fiftyarms/platform/internal/store/sqlstore" // brings the driver "pgx"
)

// An Engine is a kind of database.
type Engine struct {
	Name string
	// Fresh is the address of an empty database of the test's own. It is gone when the test ends.
	Fresh func(testing.TB) string
}

// The engines that a store runs on.
var (
	SQLite   = Engine{"sqlite", func(t testing.TB) string { return filepath.Join(t.TempDir(), "dashboard.db") }}
	Postgres = Engine{"postgres", freshSchema} // on the server that Need(t, "postgres") names
)

// EachEngine runs a test on each engine. Where there is no PostgreSQL, that run says so and skips.
func EachEngine(t *testing.T, run func(t *testing.T, e Engine)) {
	t.Helper()
	for _, e := range []Engine{SQLite, Postgres} {
		t.Run(e.Name, func(t *testing.T) {
			if e.Name == Postgres.Name {
				Need(t, "postgres")
			}
			run(t, e)
		})
	}
}

// freshSchema makes a schema of its own in the server's database: quicker than a database, and as empty.
func freshSchema(t testing.TB) string {
	t.Helper()
	server := Need(t, "postgres")
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	schema := "test_" + rand.Text()
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf("CREATE SCHEMA %q", schema)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context is over by now.
		if _, err := db.ExecContext(context.Background(), fmt.Sprintf("DROP SCHEMA %q CASCADE", schema)); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal("TEST_POSTGRES is not a postgres:// address")
	}
	q := u.Query()
	q.Set("search_path", fmt.Sprintf("%q", schema))
	u.RawQuery = q.Encode()
	return u.String()
}
