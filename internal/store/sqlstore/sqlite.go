// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
)

// pragmas hold on every connection, which is why they stand in its address: a statement reaches one of a pool alone.
// The wait for a lock comes first, since setting the journal mode may need it.
var pragmas = []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)"}

// openSQLite opens the file at path for this user alone, and makes it and its folder if they are missing. One
// connection writes: SQLite takes one writer at a time, and waiting for it in Go is fair and can be cancelled.
func openSQLite(path string) (engine, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return engine{}, err
	}
	if err := private(path); err != nil {
		return engine{}, fmt.Errorf("open the database: %w", err) // which names the path
	}
	write, err := sqlitePool(path, 1, url.Values{"_pragma": pragmas, "_txlock": {"immediate"}})
	if err != nil {
		return engine{}, err
	}
	readers := max(4, runtime.GOMAXPROCS(0))
	read, err := sqlitePool(path, readers, url.Values{"_pragma": append(slices.Clone(pragmas), "query_only(1)")})
	if err != nil {
		return engine{}, errors.Join(err, write.Close())
	}
	return engine{
		name: path, dialect: goose.DialectSQLite3, migrations: sqliteMigrations, write: write, read: read, forgetful: true,
	}, nil
}

func sqlitePool(path string, conns int, params url.Values) (*sql.DB, error) {
	params.Set("mode", "rw")      // private made the file, with its mode
	params.Set("_dqs", "0")       // "x" is a name, never text
	params.Set("_defensive", "1") // no statement may harm the file itself
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true, RawQuery: params.Encode()}
	c, err := sqlite.NewConnector(dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// sqliteHeader is how every SQLite database begins.
const sqliteHeader = "SQLite format 3\x00"

// private makes the file at path, and the folders above it that are missing, for this user alone. A database that
// others may read is closed to them: a copy put back from a backup has whatever mode the copying gave it. Another file
// is left as it is: a path that was mistyped may be anything. SQLite gives the files beside it the same mode.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	if head := make([]byte, len(sqliteHeader)); info.Size() > 0 {
		if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if string(head) != sqliteHeader {
			return fmt.Errorf("%s is no SQLite database: name another file, or a folder's file that is not there yet", path)
		}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return f.Chmod(0o600)
	}
	return nil
}
