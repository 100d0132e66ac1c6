// SPDX-License-Identifier: Apache-2.0

package app

import (
	"io"
	"log/slog"
	"testing"

	"github.com/fiftyarms/platform/internal/testkit"
	"github.com/fiftyarms/platform/internal/wake/inproc"
	"github.com/fiftyarms/platform/internal/wake/pgnotify"
)

// Only a database that can have replicas has words carried between them.
func TestOpenWaker(t *testing.T) {
	testkit.NoLeaks(t)
	for database, replicas := range map[string]bool{
		"dashboard.db": false, "/var/lib/postgres/x.db": false, "sqlite:///x.db": false,
		"postgres://127.0.0.1:1/x": true, "postgresql://127.0.0.1:1/x": true,
	} {
		w, err := openWaker(database, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if _, carried := w.(*pgnotify.Waker); carried != replicas {
			t.Errorf("%s: %T", database, w)
		}
		if _, within := w.(*inproc.Waker); within == replicas {
			t.Errorf("%s: %T", database, w)
		}
		if closer, ok := w.(io.Closer); ok {
			closer.Close()
		}
	}
	if w, err := openWaker("postgres://[::1/x", nil); err == nil {
		t.Errorf("got %T", w)
	}
}

// A dashboard on PostgreSQL ends with nothing left behind.
func TestOpenOnPostgres(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.Need(t, "postgres")
	s := Settings{Database: testkit.Postgres.Fresh(t), PublicURL: "http://localhost", Blobs: "file://" + t.TempDir()}
	for range 2 {
		server, err := Open(t.Context(), s, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}
