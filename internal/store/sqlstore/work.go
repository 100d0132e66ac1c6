// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// work reads what one team has, outside a transaction or within one.
type work struct {
	q      *sqldb.Queries
	teamID string
	failed *error // within a transaction: the first statement that failed
}

// workTx changes what one team has. The team's log is locked while it does.
type workTx struct {
	work
	gap int64
}

var _ store.WorkTx = workTx{}

// Of is what one team has.
func (s *Store) Of(teamID string) store.WorkReader { return work{q: s.reads, teamID: teamID} }

// Change runs f in one transaction. Locking the head of the log comes first: it makes the team's next change wait for
// the end of this one.
func (s *Store) Change(ctx context.Context, teamID string, f func(tx store.WorkTx) error) error {
	var refusal, failed error
	err := s.inTx(ctx, func(q *sqldb.Queries) error {
		if _, err := q.LockLog(ctx, sqldb.LockLogParams{TeamID: teamID}); err != nil {
			return err
		}
		if refusal = f(workTx{work{q, teamID, &failed}, s.gap}); refusal != nil {
			return refusal
		}
		return failed
	})
	if refusal != nil {
		return refusal
	}
	return fail(ctx, "change what a team has", err)
}

// fail is err as a caller may see it. A statement that fails ends the transaction: PostgreSQL takes no other after it,
// so that no store may, even if the one who changes goes on.
func (w work) fail(ctx context.Context, doing string, err error) error {
	if w.failed != nil && *w.failed == nil && err != nil && !isAnswer(err) {
		*w.failed = err
	}
	return fail(ctx, doing, err)
}

// isAnswer tells what a statement found from its failing. The driver's errors become those of package store later.
func isAnswer(err error) bool {
	return slices.Contains([]error{sql.ErrNoRows, store.ErrNotFound, store.ErrConflict, errUnreadable}, err)
}

// found is ErrNotFound where a statement met no row.
func found(rows int64, err error) error {
	if err == nil && rows == 0 {
		return store.ErrNotFound
	}
	return err
}
