// SPDX-License-Identifier: Apache-2.0

// Package keyfile keeps the key that a person approved for one session, so that a restarted process of the session
// need not ask again.
//
// A key lies in <config>/danxbot/session-keys/<dashboard>/<session id>.json, where <dashboard> is the first 12 hex
// digits of the SHA-256 of the dashboard's URL. Folders are 0700, files 0600. A file is believed only if it is a plain
// private file, keeps its schema (api/session-key.schema.json) and names this dashboard and this session: a key is
// never sent to another dashboard because of a file that was copied or linked.
package keyfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/contract"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/safefile"
)

// maxAge is how long after its writing a key file is removed. A key that nobody uses lapses after a day.
const maxAge = 7 * 24 * time.Hour

// maxSize bounds what is read of a key file, in bytes.
const maxSize = 16 << 10

// ErrForeign says that a file is not this session's: it names another dashboard or session.
var ErrForeign = errors.New("not a key of this session and dashboard")

// Store is the key file of one session at one dashboard. The zero Store keeps nothing: it is the store of a session
// whose key lasts as long as the process.
type Store struct {
	root      string // of all dashboards' keys; "" keeps nothing
	dashboard string
	session   string
	now       func() time.Time
}

// At is the store of a session below a config folder. dashboard is the canonical URL that env.Parse gives; sessionID
// must match the pattern that env.Parse holds it to.
func At(configDir, dashboard, sessionID string, now func() time.Time) Store {
	return Store{root: filepath.Join(configDir, "danxbot", "session-keys"), dashboard: dashboard, session: sessionID, now: now}
}

func (s Store) folder() string {
	sum := sha256.Sum256([]byte(s.dashboard))
	return filepath.Join(s.root, hex.EncodeToString(sum[:])[:12])
}

// Path is where the key lies; "" when nothing is kept.
func (s Store) Path() string {
	if s.root == "" {
		return ""
	}
	return filepath.Join(s.folder(), s.session+".json")
}

// Load reads the key; it is zero when there is no file. An error says why a file that is there is not used; the file
// is left as it is.
func (s Store) Load() (secret.Text, error) {
	key, _, err := s.Stored()
	return key, err
}

// Stored is Load, with the time at which the key was stored.
func (s Store) Stored() (secret.Text, time.Time, error) {
	file, err := s.read()
	if err != nil {
		return secret.Text{}, time.Time{}, err
	}
	return secret.New(file.APIKey), file.StoredAt.Time, nil
}

// read is the checked file, or the zero value when there is none.
func (s Store) read() (dash.SessionKeyFile, error) {
	var file dash.SessionKeyFile
	path := s.Path()
	if path == "" {
		return file, nil
	}
	if err := s.checkFolders(); err != nil {
		return file, err
	}
	data, err := safefile.Read(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err != nil {
		return file, fmt.Errorf("key file: %w", err)
	}
	if err := decode(data, &file); err != nil {
		return dash.SessionKeyFile{}, fmt.Errorf("key file %s: %w", path, err)
	}
	if file.DashboardURL != s.dashboard || file.SessionID != s.session {
		return dash.SessionKeyFile{}, fmt.Errorf("key file %s: %w", path, ErrForeign)
	}
	return file, nil
}

// decode holds the file to its schema. No error shows what the file holds.
func decode(data []byte, file *dash.SessionKeyFile) error {
	doc, err := contract.Document()
	if err != nil {
		return err
	}
	schema, err := doc.Schema("#/components/schemas/SessionKeyFile")
	if err != nil {
		return fmt.Errorf("schema of key files: %w", err)
	}
	if issues := schema.Check(data, "file"); len(issues) > 0 {
		return fmt.Errorf("damaged: %s %s", issues[0].Path, issues[0].Message)
	}
	if err := json.Unmarshal(data, file); err != nil {
		return errors.New("damaged: not what its schema wants")
	}
	if !secret.New(file.APIKey).Sendable() {
		return errors.New("damaged: /apiKey holds what no key holds")
	}
	return nil
}

// Save writes the key. It replaces an older key of this session and a damaged file, but nothing that is not this
// session's own: a link, a file that others may read, a key of another session.
func (s Store) Save(key secret.Text) error {
	path := s.Path()
	if path == "" {
		return nil
	}
	if _, err := s.read(); errors.Is(err, ErrForeign) || errors.Is(err, safefile.ErrNotPrivate) {
		return fmt.Errorf("not written over: %w", err)
	}
	data, err := json.Marshal(dash.SessionKeyFile{
		V: 1, SessionID: s.session, DashboardURL: s.dashboard, APIKey: key.Reveal(), StoredAt: dash.At(s.now()),
	})
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	if err := decode(data, new(dash.SessionKeyFile)); err != nil { // what Load would not take is not kept
		return fmt.Errorf("key file not written: %w", err)
	}
	if err := s.makeFolders(); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	if err := safefile.Write(path, append(data, '\n')); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}

// Forget removes the file if it holds this key. Another process of the session may have stored a newer one, which
// stays.
func (s Store) Forget(key secret.Text) error {
	held, err := s.Load()
	if err != nil || held.IsZero() || !held.Equal(key) {
		return err
	}
	if err := os.Remove(s.Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}

// Prune removes the key files of all sessions and dashboards that were written over 7 days ago, except this session's,
// and the temporary files that a crash left.
func (s Store) Prune() error {
	if s.root == "" {
		return nil
	}
	folders, err := os.ReadDir(s.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var errs []error
	for _, folder := range folders {
		if !folder.IsDir() { // a link is no folder here: what it leads to is not ours
			continue
		}
		dir := filepath.Join(s.root, folder.Name())
		files, err := os.ReadDir(dir)
		errs = append(errs, err)
		for _, file := range files {
			errs = append(errs, s.pruneFile(filepath.Join(dir, file.Name()), file))
		}
	}
	return errors.Join(append(errs, err)...)
}

func (s Store) pruneFile(path string, entry fs.DirEntry) error {
	name := entry.Name()
	if path == s.Path() || !entry.Type().IsRegular() || !(strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".tmp-")) {
		return nil
	}
	info, err := entry.Info()
	if err == nil && s.now().Sub(info.ModTime()) > maxAge {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) { // another process prunes as well
		return nil
	}
	return err
}

// checkFolders refuses links in the place of our own two folders. What lies above them may be linked, as a person's
// ~/.config often is.
func (s Store) checkFolders() error {
	for _, dir := range []string{s.root, s.folder()} {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("key file: %w", err)
		}
		if !info.IsDir() {
			return fmt.Errorf("key file: %s: %w (it is no folder)", dir, safefile.ErrNotPrivate)
		}
	}
	return nil
}

// makeFolders makes our own two folders, and takes from them what others may do there.
func (s Store) makeFolders() error {
	if err := os.MkdirAll(s.folder(), 0o700); err != nil {
		return err
	}
	for _, dir := range []string{s.root, s.folder()} {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(dir, 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}
