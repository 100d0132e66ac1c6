// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// Lists go by ids and by the status of cards. Were those ordered as words of the database's language, a page would differ
// between engines. What points at an id compares as the id does.
func TestTextOfListsComparesByBytes(t *testing.T) {
	write, _ := open(t, testkit.Postgres.Fresh(t)).Pools()
	got := rows(t, write, `SELECT c.table_name || '.' || c.column_name FROM information_schema.columns AS c
		JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
		WHERE c.table_schema = current_schema() AND c.collation_name = 'C' AND t.table_type = 'BASE TABLE' ORDER BY 1`)
	want := []string{
		"acceptance_item.issue_id", "access_request.public_id", "agent_key.id", "attachment.id", "attachment.issue_id", "audit.id",
		"comment.issue_id", "dependency.issue_id", "dependency.on_id", "event.issue_id", "event.key_id",
		"issue.id", "issue.parent_id", "issue.status", "issue_conflict.issue_id", "issue_conflict.other_id",
		"permission_request.key_id", "permission_request.public_id",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns that compare by bytes (-want +got):\n%s", diff)
	}
}
