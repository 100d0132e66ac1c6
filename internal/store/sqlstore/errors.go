// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/fiftyarms/platform/internal/store"
)

// told are the errors that callers tell apart.
var told = []error{store.ErrNotFound, store.ErrConflict, store.ErrDuplicate, store.ErrSchema, store.ErrText}

// plain are the errors beside them that hold nothing of a row.
var plain = []error{
	errUnreadable, errNoRoom, errNoTrail,
	context.Canceled, context.DeadlineExceeded,
	driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, io.EOF, io.ErrUnexpectedEOF,
}

// fail is err as a caller may see it, with what was being done.
func fail(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	err = reason(err)
	if ctx.Err() != nil && !slices.Contains(told, err) {
		// A driver that is interrupted has many ways to say so: a broken connection, a transaction that is over.
		err = ctx.Err()
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// reason is err without the driver's own words, which quote SQL and values: an error of package store, the context's,
// or the engine's code for it. What goes wrong with a connection is told in full, as it names no row.
func reason(err error) error {
	for _, known := range slices.Concat(told, plain) {
		if errors.Is(err, known) {
			return known
		}
	}
	if errors.Is(err, sql.ErrNoRows) {
		return store.ErrNotFound
	}
	if connect := (*pgconn.ConnectError)(nil); errors.As(err, &connect) {
		return connect
	}
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return postgresReason(pg.Code)
	}
	if lite := (*sqlite.Error)(nil); errors.As(err, &lite) {
		return sqliteReason(lite.Code())
	}
	if network := (*net.OpError)(nil); errors.As(err, &network) {
		return network
	}
	return fmt.Errorf("the database's driver failed with a %T", innermost(err))
}

func postgresReason(code string) error {
	switch code {
	case "23505": // unique_violation
		return store.ErrDuplicate
	case "23503": // foreign_key_violation: what the row points at is not there
		return store.ErrNotFound
	}
	return fmt.Errorf("PostgreSQL answered SQLSTATE %s", code)
}

func sqliteReason(code int) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return store.ErrDuplicate
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return store.ErrNotFound
	case sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	}
	const primary = 0xff
	if text, ok := sqlite.ErrorCodeString[code&primary]; ok {
		return fmt.Errorf("SQLite answered %d: %s", code, text)
	}
	return fmt.Errorf("SQLite answered %d", code)
}

// busy says whether SQLite answered that another connection is in the way.
func busy(err error) bool {
	const primary = 0xff
	lite := (*sqlite.Error)(nil)
	return errors.As(err, &lite) && lite.Code()&primary == sqlite3.SQLITE_BUSY
}

func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
