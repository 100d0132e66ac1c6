// SPDX-License-Identifier: Apache-2.0

// Package sqlstore is the store for SQLite and PostgreSQL: one set of queries (queries/*.sql, generated into gen/sqldb)
// and one implementation, over database/sql. What differs sits in sqlite.go, postgres.go and the two folders of
// migrations. The rules that keep one set of queries possible:
//
//   - times are milliseconds in a bigint, lists and the asking client are JSON in text, yes and no is a small integer;
//   - every optional argument and every LIMIT has a CAST, and none stands in ORDER BY, where the generator overlooks it
//     for SQLite; a test generates the same queries for SQLite and wants the same code;
//   - a join that is to start from its few rows is a CROSS JOIN, which SQLite takes in the order in which it is written;
//   - whatever must hold under a race is one UPDATE with the condition in its WHERE, or follows one in a transaction.
//
// Text that PostgreSQL cannot hold (NUL, or bytes that are not UTF-8) is refused before either engine sees it.
package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// Store is a database. Open makes one.
type Store struct {
	write, read   *sql.DB // the same pool on PostgreSQL
	writes, reads *sqldb.Queries
	statements    *statements // of write; nil where the driver keeps them
	gap           int64       // between the positions of two cards
}

var _ store.Store = (*Store)(nil)

// Options are what a Store takes from outside. The zero value will do.
type Options struct {
	Now      func() time.Time // when the database was made; time.Now if nil
	NewID    func() string    // the instance's name; 128 random bits in hex if nil
	MaxConns int              // of the pool to PostgreSQL, at least 2; 16 if 0
}

// engine is one of the two databases, opened but not looked at yet.
type engine struct {
	name        string // for errors: the file, or the database and its host
	dialect     goose.Dialect
	migrations  fs.FS
	write, read *sql.DB
	forgetful   bool // the driver keeps no statements
	// exclusive runs f while no other process that calls it on this database does. Nil where the engine has no such
	// lock, and migrations are kept from being applied twice in another way.
	exclusive func(ctx context.Context, f func() error) error
}

// Open opens the database that url names and brings its tables up to date. It takes sqlite:///absolute/path, a plain
// path to an SQLite file, which is made if it is missing, or postgres://…. Several processes may open the same new
// database at once. A database that a newer build has been at is refused with store.ErrSchema.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	if o.MaxConns == 0 {
		o.MaxConns = 16
	}
	e, err := connect(url, o)
	if err != nil {
		return nil, err
	}
	s := &Store{write: e.write, read: e.read, writes: sqldb.New(guard{e.write}), reads: sqldb.New(guard{e.read}), gap: gap}
	if e.forgetful {
		s.statements = prepareOnce(e.write)
		s.writes = sqldb.New(guard{prepared{s.statements, nil}})
		s.reads = sqldb.New(guard{prepared{prepareOnce(e.read), nil}})
	}
	err = migrate(ctx, e)
	if err == nil {
		err = fail(ctx, "name the instance", s.writes.NameInstance(ctx, sqldb.NameInstanceParams{Name: o.NewID(), CreatedAt: ms(o.Now())}))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the database %s: %w", e.name, err), s.Close())
	}
	return s, nil
}

func randomID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.reads.InstanceName(ctx)
	return fail(ctx, "ask the database", err)
}

// Instance is the random name that this database got when it was made.
func (s *Store) Instance(ctx context.Context) (string, error) {
	name, err := s.reads.InstanceName(ctx)
	return name, fail(ctx, "read the instance", err)
}

// Close closes the connections, once the calls that run have ended.
func (s *Store) Close() error {
	err := s.read.Close()
	if s.write != s.read {
		err = errors.Join(err, s.write.Close())
	}
	if err != nil {
		return fmt.Errorf("close the database: %w", reason(err))
	}
	return nil
}

// inTx runs change in a transaction that it ends: all of it happens, or none.
func (s *Store) inTx(ctx context.Context, change func(*sqldb.Queries) error) error {
	if s.statements != nil {
		s.statements.catchUp(ctx)
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	// On an error and on a panic of change. After a commit it does nothing; it only fails with the connection, which
	// undoes the change too.
	defer func() { _ = tx.Rollback() }()
	var db sqldb.DBTX = tx
	if s.statements != nil {
		db = prepared{s.statements, tx}
	}
	if err := change(sqldb.New(guard{db})); err != nil {
		return err
	}
	return tx.Commit()
}
