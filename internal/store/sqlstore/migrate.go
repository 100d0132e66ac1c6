// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/fiftyarms/platform/internal/store"
)

//go:embed migrations
var migrations embed.FS

var (
	sqliteMigrations   = folder("migrations/sqlite")
	postgresMigrations = folder("migrations/postgres")
)

func folder(name string) fs.FS {
	sub, err := fs.Sub(migrations, name)
	if err != nil {
		panic(err) // the name is a constant of this file
	}
	return sub
}

// connect finds the engine that address names. No error repeats the address: it may hold a password.
func connect(address string, o Options) (engine, error) {
	scheme, rest, ok := strings.Cut(address, "://")
	switch {
	case address == "":
		return engine{}, errors.New("no database is named: give a path, sqlite:///absolute/path or postgres://…")
	case !ok:
		return openSQLite(address)
	case scheme == "postgres" || scheme == "postgresql":
		return openPostgres(address, o.MaxConns)
	case scheme != "sqlite":
		return engine{}, fmt.Errorf("databases of the kind %q are unknown: give a path, sqlite:///absolute/path or postgres://…", scheme)
	case !strings.HasPrefix(rest, "/"):
		return engine{}, errors.New("sqlite:// wants an absolute path, with three slashes: sqlite:///absolute/path")
	}
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return engine{}, errors.New("sqlite:/// takes a path alone, with %3F for ? and %23 for #")
	}
	return openSQLite(u.Path)
}

// migrate brings the tables up to date, one process at a time.
func migrate(ctx context.Context, e engine) error {
	p, err := goose.NewProvider(e.dialect, e.write, e.migrations, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if e.exclusive != nil {
		return e.exclusive(ctx, func() error { return up(ctx, p) })
	}
	return up(ctx, p)
}

// up applies what is missing. Where nothing keeps another process out, that one may have applied what this one was
// about to, which then fails as a whole; so as long as the version moves, up looks again.
func up(ctx context.Context, p *goose.Provider) error {
	for {
		before, known, err := versions(ctx, p)
		if err != nil {
			return fmt.Errorf("read the database's version: %w", reason(err))
		}
		if before > known {
			return fmt.Errorf("%w: a newer build brought the database to version %d and this one knows up to %d; run the newer build, or restore a backup from before it", store.ErrSchema, before, known)
		}
		_, failed := p.Up(ctx)
		if failed == nil {
			return nil
		}
		after, _, err := versions(ctx, p)
		if err != nil || after <= before {
			return fmt.Errorf("migrate the database from version %d to %d: %w", before, known, failed)
		}
	}
}

// versions is what the database is at and what this build knows. The first connections to a new SQLite file each make it
// write ahead, for which SQLite waits for no lock, whatever the busy timeout is: so this waits.
func versions(ctx context.Context, p *goose.Provider) (at, known int64, err error) {
	for patience := time.Now().Add(busyWait); ; {
		at, known, err = p.GetVersions(ctx)
		if !busy(err) || time.Now().After(patience) {
			return at, known, err
		}
		select {
		case <-ctx.Done():
			return at, known, err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// busyWait is how long a start waits for others that start on the same new file.
const busyWait = 10 * time.Second
