// SPDX-License-Identifier: Apache-2.0

package pgnotify

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fiftyarms/platform/internal/testkit"
)

// replica is a waker and what it hears.
type replica struct {
	*Waker
	name  string
	heard chan string
}

// open starts a waker and waits until it listens.
func open(t *testing.T) *replica {
	t.Helper()
	u, err := url.Parse(testkit.Need(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	name := "wake_" + rand.Text()
	q := u.Query()
	q.Set("application_name", name)
	u.RawQuery = q.Encode()
	w, err := New(u.String(), slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{w, name, make(chan string, 10000)}
	stop := w.Watch(func(team string) { r.heard <- team })
	t.Cleanup(func() {
		stop()
		w.Close()
	})
	r.wait(t, "")
	return r
}

// wait waits until a word has come.
func (r *replica) wait(t *testing.T, want string) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case got := <-r.heard:
			if got == want {
				return
			}
		case <-late:
			t.Fatalf("never heard of %q", want)
		}
	}
}

// cut breaks a waker's connection as a server that fails over does.
func (r *replica) cut(t *testing.T) {
	t.Helper()
	admin, err := pgx.Connect(t.Context(), testkit.Need(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.WithoutCancel(t.Context()))
	tag, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", r.name)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("cut %d connections: %v", tag.RowsAffected(), err)
	}
}

// The tests share the server's channel, so they use teams of their own.
func team(t *testing.T) string {
	t.Helper()
	return rand.Text()
}

func TestEveryReplicaHears(t *testing.T) {
	testkit.NoLeaks(t)
	one, other := open(t), open(t)
	for range 20 {
		a, b := team(t), team(t)
		one.Wake(a)
		other.Wake(b)
		for _, r := range []*replica{one, other} {
			for range 2 { // in whichever order
				select {
				case got := <-r.heard:
					if got != a && got != b {
						t.Errorf("heard of %q", got)
					}
				case <-time.After(20 * time.Second):
					t.Fatal("a word did not come")
				}
			}
		}
	}
	one.Wake("")
	other.wait(t, "")
}

// Its own words a process hears once, and at once.
func TestOwnWordsComeOnce(t *testing.T) {
	testkit.NoLeaks(t)
	r, other := open(t), open(t)
	a := team(t)
	r.Wake(a)
	if len(r.heard) != 1 {
		t.Errorf("heard %d words", len(r.heard))
	}
	other.wait(t, a)
	b := team(t)
	other.Wake(b)
	r.wait(t, a)
	if got := <-r.heard; got != b {
		t.Errorf("heard %q again", got)
	}
}

// A flood is joined, and none of its teams is lost.
func TestFlood(t *testing.T) {
	testkit.NoLeaks(t)
	one, other := open(t), open(t)
	teams := map[string]bool{}
	var wakers sync.WaitGroup
	for range 20 {
		name := team(t)
		teams[name] = true
		wakers.Go(func() {
			for range 200 {
				one.Wake(name)
			}
		})
	}
	wakers.Wait()
	words := 0
	for late := time.After(20 * time.Second); len(teams) > 0; words++ {
		select {
		case got := <-other.heard:
			delete(teams, got)
		case <-late:
			t.Fatalf("%d teams were lost", len(teams))
		}
	}
	if words > 2000 {
		t.Errorf("4000 words came as %d", words)
	}
}

// More teams than are told one by one are told as any.
func TestTooManyTeams(t *testing.T) {
	w := &Waker{pending: map[string]bool{}}
	for i := range teamsMost + 1 {
		w.Wake(fmt.Sprint(i))
	}
	if len(w.pending) != 1 || !w.pending[""] {
		t.Errorf("%d are pending", len(w.pending))
	}
	w.Wake("a")
	if len(w.pending) != 1 {
		t.Errorf("%d are pending after one more", len(w.pending))
	}
}

// A connection that breaks comes back, says that anything may be new, and carries words again; what was said meanwhile
// reaches the others then.
func TestReconnect(t *testing.T) {
	testkit.NoLeaks(t)
	one, other := open(t), open(t)
	one.cut(t)
	a := team(t)
	one.Wake(a)
	other.wait(t, a)
	one.wait(t, "")
	other.cut(t)
	other.wait(t, "")
	b := team(t)
	one.Wake(b)
	other.wait(t, b)
}

// A server that is not there is told once, without the password, and does not keep anybody from anything.
func TestNoServer(t *testing.T) {
	testkit.NoLeaks(t)
	secret := "hunter" + "2"
	var log bytes.Buffer
	failed := make(chan struct{}, 100)
	w, err := New("postgres://me:"+secret+"@127.0.0.1:1/x?connect_timeout=1", slog.New(slog.NewTextHandler(&told{&log, failed}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	stop := w.Watch(func(string) { heard++ })
	w.Wake("a")
	<-failed
	stop()
	w.Close()
	if heard != 1 || strings.Contains(log.String(), secret) || strings.Count(log.String(), "news reach other replicas late") != 1 {
		t.Errorf("heard %d words; the log says %s", heard, &log)
	}
	w.Wake("after the end")
}

// told says when something was written.
type told struct {
	*bytes.Buffer
	signal chan struct{}
}

func (w *told) Write(b []byte) (int, error) {
	defer func() { w.signal <- struct{}{} }()
	return w.Buffer.Write(b)
}

func TestBadAddress(t *testing.T) {
	secret := "hunter" + "2"
	for _, address := range []string{"postgres://me:" + secret + "@[::1/x", "me:" + secret + "@host port=x"} {
		if w, err := New(address, nil); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v, %v", w, err)
		}
	}
}
