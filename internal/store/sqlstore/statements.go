// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"sync"

	"github.com/fiftyarms/platform/gen/sqldb"
)

// statements are those of a pool, prepared once: database/sql alone would have SQLite parse and plan a query at each
// call, which takes longer than most of them. The driver for PostgreSQL keeps statements by itself. The queries are few
// and fixed, so that none is ever closed before the pool is.
type statements struct {
	db *sql.DB

	mu    sync.Mutex
	known map[string]*sql.Stmt // nil: wanted within a transaction, which held the one connection to prepare it on
}

func prepareOnce(db *sql.DB) *statements { return &statements{db: db, known: map[string]*sql.Stmt{}} }

// find finds a statement that was prepared, or notes that it is wanted.
func (s *statements) find(query string) *sql.Stmt {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.known[query]
	s.known[query] = known
	return known
}

func (s *statements) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if known := s.find(query); known != nil {
		return known, nil
	}
	made, err := s.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[query]; known != nil { // another call was quicker
		return known, made.Close()
	}
	s.known[query] = made
	return made, nil
}

// catchUp prepares what transactions wanted. What cannot be prepared says so to the call that runs it.
func (s *statements) catchUp(ctx context.Context) {
	s.mu.Lock()
	var wanted []string
	for query, known := range s.known {
		if known == nil {
			wanted = append(wanted, query)
		}
	}
	s.mu.Unlock()
	for _, query := range wanted {
		_, _ = s.prepare(ctx, query)
	}
}

// prepared runs queries by their statements.
type prepared struct {
	*statements
	tx *sql.Tx // nil outside a transaction
}

var _ sqldb.DBTX = prepared{}

func (p prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if p.tx == nil {
		return p.prepare(ctx, query)
	}
	if known := p.find(query); known != nil {
		return p.tx.StmtContext(ctx, known), nil
	}
	return p.tx.PrepareContext(ctx, query) // until the transaction ends
}

func (p prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

func (p prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

func (p prepared) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return p.db.QueryRowContext(ended{ctx, err}, query)
	}
	return s.QueryRowContext(ctx, args...)
}

// PrepareContext is there for the generated interface; no query calls it.
func (p prepared) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return p.stmt(ctx, query)
}
