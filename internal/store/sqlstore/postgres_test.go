// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/testkit"
)

// Replicas that start at once migrate one after the other: two that alter tables side by side can end in a deadlock.
func TestMigratingWaitsItsTurn(t *testing.T) {
	address := testkit.Postgres.Fresh(t)
	write, _ := open(t, address).Pools()
	tx, err := write.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(sqlstore.MigrationLock); err != nil {
		t.Fatal(err)
	}
	patience, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := sqlstore.Open(patience, address, sqlstore.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second replica did not wait: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	open(t, address)
}

// Lists go by time and id. Were ids ordered as words of the database's language, a page would differ between engines.
func TestIDsOfListsCompareByBytes(t *testing.T) {
	write, _ := open(t, testkit.Postgres.Fresh(t)).Pools()
	got := rows(t, write, `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND collation_name = 'C' ORDER BY 1`)
	if want := []string{"access_request.public_id", "agent_key.id"}; !slices.Equal(got, want) {
		t.Errorf("columns that compare by bytes: %q, want %q", got, want)
	}
}
