// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// Once says what a call with this key created before.
func (w workTx) Once(ctx context.Context, o store.Once) (string, error) {
	const doing = "look for an earlier call"
	if err := storable(o.Digest); err != nil { // no query is given it
		return "", w.fail(ctx, doing, err)
	}
	before, err := w.q.Once(ctx, sqldb.OnceParams{
		TeamID: w.teamID, Caller: o.Caller, Operation: o.Operation, Key: o.Key, Since: ms(o.Since),
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err == nil && before.Digest != o.Digest:
		err = store.ErrConflict
	}
	if err != nil {
		return "", w.fail(ctx, doing, err)
	}
	return before.Subject, nil
}

// Remember notes what a call created.
func (w workTx) Remember(ctx context.Context, o store.Once, subject string) error {
	const doing = "note what a call created"
	if err := w.q.ForgetOnce(ctx, sqldb.ForgetOnceParams{TeamID: w.teamID, Since: ms(o.Since)}); err != nil {
		return w.fail(ctx, doing, err)
	}
	return w.fail(ctx, doing, w.q.Remember(ctx, sqldb.RememberParams{
		TeamID: w.teamID, Caller: o.Caller, Operation: o.Operation, Key: o.Key, Digest: o.Digest, Subject: subject, At: ms(o.At),
	}))
}
