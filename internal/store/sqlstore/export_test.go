// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// Reason is reason, for the external tests: those in the package cannot import testkit, which imports the package.
var Reason = reason

// MigrationLock takes the lock under which PostgreSQL is migrated.
const MigrationLock = migrationLock

// Pools are the store's connections.
func (s *Store) Pools() (write, read *sql.DB) { return s.write, s.read }

// SetGap makes a column run out of room sooner.
func (s *Store) SetGap(n int64) { s.gap = n }

// Apart are the members of a card that its content does not hold.
var Apart = apart

// MigrateTo makes a database as a build of that version left it.
func MigrateTo(ctx context.Context, engine string, db *sql.DB, version int64) error {
	dialect, migrations := goose.DialectSQLite3, sqliteMigrations
	if engine == "postgres" {
		dialect, migrations = goose.DialectPostgres, postgresMigrations
	}
	p, err := goose.NewProvider(dialect, db, migrations, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err == nil {
		_, err = p.UpTo(ctx, version)
	}
	return err
}
