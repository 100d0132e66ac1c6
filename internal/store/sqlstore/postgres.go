// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// migrationLock is held by whoever migrates the schema; 50 is a number that no one else's lock has.
const migrationLock = `SELECT pg_advisory_xact_lock(50, hashtext(COALESCE(current_schema(), '')))`

func openPostgres(url string, conns int) (engine, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's words may hold the address, and with it the password.
		return engine{}, errors.New("the database's address is not one of PostgreSQL: write postgres://user:password@host:port/name")
	}
	if config.ConnectTimeout == 0 { // a server that is not there may never say so
		config.ConnectTimeout = 10 * time.Second
	}
	db := stdlib.OpenDB(*config)
	conns = max(2, conns) // migrating takes one that locks and one that works
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	db.SetConnMaxLifetime(time.Hour) // so that a new server behind the address gets its share
	exclusive := func(ctx context.Context, f func() error) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return fail(ctx, "reach the database", err)
		}
		// The lock ends with its transaction, so it cannot outlive this call; f works on other connections.
		defer func() { _ = tx.Rollback() }()
		if _, err := tx.ExecContext(ctx, migrationLock); err != nil {
			return fail(ctx, "wait for whoever else is migrating the database", err)
		}
		return f()
	}
	return engine{
		name:    fmt.Sprintf("%s on %s", config.Database, net.JoinHostPort(config.Host, fmt.Sprint(config.Port))),
		dialect: goose.DialectPostgres, migrations: postgresMigrations, write: db, read: db, exclusive: exclusive,
	}, nil
}
