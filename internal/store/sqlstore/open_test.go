// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestReopeningKeepsTheInstance(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		address := e.Fresh(t)
		for _, offered := range []string{"first", "second", "third"} {
			s, err := sqlstore.Open(t.Context(), address, sqlstore.Options{
				NewID: func() string { return offered }, Now: func() time.Time { return testkit.Start },
			})
			if err != nil {
				t.Fatal(err)
			}
			name, err := s.Instance(t.Context())
			if err != nil || name != "first" {
				t.Errorf("opened with the name %q on offer, the instance is %q, %v", offered, name, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestInstancesDiffer(t *testing.T) {
	names := map[string]bool{}
	for range 3 {
		name, err := open(t, testkit.SQLite.Fresh(t)).Instance(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		names[name] = true
	}
	if len(names) != 3 {
		t.Errorf("three databases share names: %v", names)
	}
}

// Several replicas start at once on a database that none has been at.
func TestOpeningAtOnce(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		address := e.Fresh(t)
		const replicas = 8
		stores, failed := make([]*sqlstore.Store, replicas), make([]error, replicas)
		var all sync.WaitGroup
		for i := range replicas {
			all.Go(func() {
				stores[i], failed[i] = sqlstore.Open(t.Context(), address, sqlstore.Options{NewID: func() string { return fmt.Sprint("replica ", i) }})
			})
		}
		all.Wait()
		names := map[string]bool{}
		for i, s := range stores {
			if failed[i] != nil {
				t.Errorf("replica %d: %v", i, failed[i])
				continue
			}
			name, err := s.Instance(t.Context())
			if err != nil {
				t.Error(err)
			}
			names[name] = true
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if len(names) != 1 {
			t.Errorf("the replicas disagree on the instance: %v", names)
		}
	})
}

func TestANewerDatabaseIsRefused(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		address := e.Fresh(t)
		write, _ := open(t, address).Pools()
		if _, err := write.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (4711, $1)`, true); err != nil {
			t.Fatal(err)
		}
		_, err := sqlstore.Open(t.Context(), address, sqlstore.Options{})
		if !errors.Is(err, store.ErrSchema) {
			t.Fatalf("opened a database from the future: %v", err)
		}
		for _, want := range []string{"version 4711", "run the newer build", "restore a backup"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	})
}

func TestAddresses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	odd := filepath.Join(dir, "a folder", "100% odd?name#1.db")
	for address, file := range map[string]string{
		"plain.db":                        filepath.Join(dir, "plain.db"),
		filepath.Join(dir, "absolute.db"): filepath.Join(dir, "absolute.db"),
		"sqlite://" + dir + "/url.db":     filepath.Join(dir, "url.db"),
		odd:                               odd,
		"sqlite://" + dir + "/100%25%20%3F%23.db": filepath.Join(dir, "100% ?#.db"),
	} {
		s, err := sqlstore.Open(t.Context(), address, sqlstore.Options{})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s did not make %s: %v", address, file, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 5 {
		t.Errorf("the folder holds %q, %v", left, err)
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	secret := strings.Repeat("hunter", 2)
	for address, want := range map[string]string{
		"":                                  "no database is named",
		"sqlite://relative.db":              "three slashes",
		"sqlite:///x.db?mode=memory":        "takes a path alone",
		"sqlite:///x.db#1":                  "takes a path alone",
		"sqlite:///%zz":                     "takes a path alone",
		"mysql://ada:" + secret + "@host/":  `"mysql" are unknown`,
		"postgres://ada:" + secret + "@[/x": "address is not one of PostgreSQL",
		"postgres://ada:" + secret + "@host:port/x":             "address is not one of PostgreSQL",
		"postgres://ada:" + secret + "@host/x?sslmode=whatever": "address is not one of PostgreSQL",
		"postgres://ada:" + secret + "@127.0.0.1:1/x":           "reach the database",
		t.TempDir(): "is a directory",
	} {
		s, err := sqlstore.Open(t.Context(), address, sqlstore.Options{})
		if err == nil {
			s.Close()
			t.Errorf("%q was opened", address)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a word on %q", address, err, want)
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}
