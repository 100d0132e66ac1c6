// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the engine of opencode's database

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// A database is opencode's, as it is at one moment: the client may be writing.
type database struct {
	db     *sql.DB
	tx     *sql.Tx
	copied string // a folder to be removed
	named  bool   // there is a table of sessions
	data   []byte
	is     version
}

var errOther = errors.New("it is no database of opencode")

// openDatabase opens the database at path to be read, without making a file beside it.
func openDatabase(ctx context.Context, path string) (_ *database, err error) {
	d := &database{}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", path, err), d.end())
		}
	}()
	if path, err = filepath.EvalSymlinks(path); err != nil { // what stands beside it stands beside what it leads to
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	d.is = versionOf(path)
	if open := rest.take(d.is); open != nil {
		if open.tx, err = open.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err == nil {
			return open, nil
		}
		if err = open.end(); err != nil {
			return nil, err
		}
	}
	params := url.Values{"mode": {"ro"}}
	switch log, shared := size(path+"-wal"), size(path+"-shm"); {
	case log <= 0: // nothing is written that is not in the file, and SQLite would make files to find that out
		params.Set("immutable", "1")
	case shared >= 0:
		params.Set("readonly_shm", "1")
	default: // a copy without its index, which SQLite would make anew
		if path, err = d.copy(path); err != nil {
			return nil, err
		}
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true, RawQuery: params.Encode()}
	if d.db, err = sql.Open("sqlite", dsn.String()); err != nil {
		return nil, err
	}
	d.db.SetMaxOpenConns(1)
	if d.tx, err = d.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
		return nil, err
	}
	if err = d.check(ctx); err != nil {
		return nil, err
	}
	if d.copied != "" && os.RemoveAll(d.copied) == nil { // what is open stays, on most systems, and nothing is left behind
		d.copied = ""
	}
	return d, nil
}

// size is a file's, -1 if there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// copy puts the database and what is written beside it into a folder of this user alone.
func (d *database) copy(path string) (_ string, err error) {
	if d.copied, err = os.MkdirTemp("", "opencode-"); err != nil {
		return "", err
	}
	to := filepath.Join(d.copied, "opencode.db")
	for _, beside := range []string{"", "-wal"} {
		if err := copyFile(to+beside, path+beside); err != nil {
			return "", err
		}
	}
	return to, nil
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// close ends reading. The database stays open for the next session of it, unless it is a copy that is to be removed.
func (d *database) close() error {
	if d.copied != "" {
		return d.end()
	}
	err := d.tx.Rollback()
	d.tx = nil
	if err != nil {
		return errors.Join(err, d.end())
	}
	return rest.put(d)
}

func (d *database) end() (err error) {
	if d.tx != nil {
		err = d.tx.Rollback()
	}
	if d.db != nil {
		err = errors.Join(err, d.db.Close())
	}
	if d.copied != "" {
		err = errors.Join(err, os.RemoveAll(d.copied))
	}
	return err
}

// check looks for the tables that make a database opencode's. A view is none: its rows may have no end.
func (d *database) check(ctx context.Context) error {
	has := func(table, column string) (bool, error) {
		var n int
		err := d.tx.QueryRowContext(ctx, `SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2
			AND EXISTS (SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND type = 'table')`, table, column).Scan(&n)
		return n > 0, err
	}
	for _, need := range [][2]string{{"message", "session_id"}, {"message", "data"}, {"part", "message_id"}, {"part", "data"}} {
		if ok, err := has(need[0], need[1]); err != nil {
			return err
		} else if !ok {
			return errOther
		}
	}
	var err error
	d.named, err = has("session", "parent_id")
	return err
}

const sessionColumns = `SELECT id, coalesce(parent_id, ''), coalesce(directory, ''), coalesce(title, ''), coalesce(version, ''), coalesce(revert, ''),
	coalesce(time_updated, 0) FROM session `

func (d *database) query(ctx context.Context, query string, args ...any) (list []session, err error) {
	rows, err := d.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var scan jsonscan.Scanner
	for rows.Next() {
		var s session
		var back []byte
		if err := rows.Scan(&s.id, &s.parent, &s.directory, &s.title, &s.version, &back, &s.updated); err != nil {
			return nil, err
		}
		if len(back) > 0 {
			scan.Reset(back)
			s.revert.scan(&scan)
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// roots are the sessions that a person began, the newest first.
func (d *database) roots(ctx context.Context) ([]session, error) {
	if !d.named {
		return d.query(ctx, `SELECT session_id, '', '', '', '', '', max(time_updated) FROM message GROUP BY session_id ORDER BY 7 DESC, 1 DESC`)
	}
	return d.query(ctx, sessionColumns+`WHERE parent_id IS NULL OR parent_id = '' ORDER BY time_updated DESC, id DESC`)
}

func (d *database) session(ctx context.Context, id string) (session, error) {
	query, args := sessionColumns+`WHERE id = ?`, []any{id}
	if !d.named {
		query = `SELECT session_id, '', '', '', '', '', time_updated FROM message WHERE session_id = ? LIMIT 1`
	}
	list, err := d.query(ctx, query, args...)
	if err != nil {
		return session{}, err
	}
	if len(list) == 0 {
		return session{}, fmt.Errorf("there is no session %s", id)
	}
	return list[0], nil
}

func (d *database) children(ctx context.Context, id string) ([]session, error) {
	if !d.named {
		return nil, nil
	}
	return d.query(ctx, sessionColumns+`WHERE parent_id = ? ORDER BY time_created, id`, id)
}

func (d *database) messages(ctx context.Context, session string) (ids []string, err error) {
	rows, err := d.tx.QueryContext(ctx, `SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id`, session)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (d *database) message(ctx context.Context, _, id string) ([]byte, error) {
	err := d.tx.QueryRowContext(ctx, `SELECT data FROM message WHERE id = ?`, id).Scan(&d.data)
	return d.data, err
}

func (d *database) parts(ctx context.Context, message string, each func(id string, data []byte) error) (err error) {
	rows, err := d.tx.QueryContext(ctx, `SELECT id, data FROM part WHERE message_id = ? ORDER BY id`, message)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		var data sql.RawBytes // it holds until the next row
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		if err := each(id, data); err != nil {
			return err
		}
	}
	return rows.Err()
}
