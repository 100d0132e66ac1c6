// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/testkit"
	"github.com/fiftyarms/platform/internal/wake"
	"github.com/fiftyarms/platform/internal/wake/pgnotify"
)

// floor is a team with two boards and a card on each, and an agent who comments on them.
type floor struct {
	*testkit.Running
	t     *testing.T
	agent *testkit.Caller
	team  string
	cards []string
}

func newFloor(t *testing.T, options ...testkit.Option) *floor {
	t.Helper()
	f := &floor{Running: testkit.Dashboard(t, options...), t: t}
	ada := f.SetUp()
	f.agent = f.Agent(ada)
	for i, prefix := range []string{"SHOP", "DOCS"} {
		if a := ada.Call("POST", "/api/boards", dash.BoardCreate{Name: prefix, Prefix: prefix}); a.Status != 201 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		a := f.agent.Call("POST", fmt.Sprintf("/api/issues?board=%d", i+1), `{"title":"A card"}`)
		f.cards = append(f.cards, testkit.Decode[dash.Issue](t, a, 201).ID)
	}
	team, err := f.Store.TeamByRef(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	f.team = team.ID
	return f
}

// at is the same floor at another server.
func (f *floor) at(d *testkit.Running) *floor {
	there := *f
	there.Running, there.agent = d, f.agent.At(d)
	return &there
}

// comment makes an event on one of the boards.
func (f *floor) comment(n int) error {
	path := fmt.Sprintf("/api/issues/%s/comments?board=%d", f.cards[n%2], n%2+1)
	if a := f.agent.Call("POST", path, dash.CommentCreate{Body: fmt.Sprintf("comment %d", n)}); a.Status != 201 {
		return fmt.Errorf("comment %d: %d %s", n, a.Status, a.Body)
	}
	return nil
}

// want lists the cursors of all events after a cursor that belong to topics.
func (f *floor) want(after string, topics string) (cursors []string) {
	f.t.Helper()
	following, err := event.Parse(topics, "")
	if err != nil {
		f.t.Fatal(err)
	}
	at, _ := event.ParseCursor(after)
	for {
		events, err := f.Store.Of(f.team).Events(f.t.Context(), at, 500)
		if err != nil {
			f.t.Fatal(err)
		}
		if len(events) == 0 {
			return cursors
		}
		for _, e := range events {
			if at = e.Number; event.Matches(e.Event, e.KeyID, following) {
				cursors = append(cursors, e.Cursor)
			}
		}
	}
}

func (f *floor) head() string {
	f.t.Helper()
	return testkit.Decode[dash.StreamCursor](f.t, f.agent.Call("GET", "/api/stream/cursor", nil), 200).Cursor
}

// reading is a client that goes on over connections that end, at whichever server it is told to use.
type reading struct {
	topics string
	ids    []string
	lastID string
}

// read reads until the event with the id last has come, or the stream ends, or n frames were read if n is not 0.
func (r *reading) read(c *testkit.Caller, last string, n int) error {
	s, err := c.TryFollow(r.topics, r.lastID)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := 0; r.lastID != last && (n == 0 || i < n); i++ {
		f, err := s.Read()
		if errors.Is(err, io.EOF) || f.Event == "end" {
			return nil
		}
		if err != nil {
			return err
		}
		r.ids, r.lastID = append(r.ids, f.ID), f.ID
	}
	return nil
}

// Readers that are cut off at random, while many write, receive exactly what was committed.
func TestResumeOverCuts(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		f := newFloor(t, testkit.On(e))
		begin := f.head()
		const writers, each = 3, 40
		done := make(chan struct{})
		var written sync.WaitGroup
		for w := range writers {
			written.Go(func() {
				for i := range each {
					if err := f.comment(w + i); err != nil {
						t.Error(err)
					}
				}
			})
		}
		var readers sync.WaitGroup
		var read []*reading
		for i, topics := range []string{"team", "board:1", "board:2", "card:" + f.cards[0], "board:1,card:" + f.cards[1]} {
			r := &reading{topics: topics, lastID: begin}
			read = append(read, r)
			readers.Go(func() {
				chance := rand.New(rand.NewPCG(1, uint64(i)))
				for {
					select {
					case <-done:
						return
					default:
					}
					if err := r.read(f.agent, "", 1+chance.IntN(7)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		written.Wait()
		close(done)
		for i := range 2 * 7 { // who waits for more gets it
			if err := f.comment(i); err != nil {
				t.Fatal(err)
			}
		}
		readers.Wait()
		for _, r := range read {
			want := f.want(begin, r.topics)
			if err := r.read(f.agent, want[len(want)-1], 0); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, r.ids); diff != "" {
				t.Errorf("%s (-want +got):\n%s", r.topics, diff)
			}
		}
	})
}

// A server that ends hands its streams on to the next one.
func TestResumeOverARestart(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		f := newFloor(t, testkit.On(e))
		r := &reading{topics: "board:1", lastID: f.head()}
		begin := r.lastID
		for restart := range 3 {
			for i := range 10 {
				if err := f.comment(i); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.read(f.agent, "", 3); err != nil { // and misses some
				t.Fatal(err)
			}
			open := f.agent.Follow("board:1", f.head())
			f.Stop()
			if got := open.Next(); got.Event != "end" || string(got.Data) != `{"reason":"server_ends"}` {
				t.Errorf("restart %d: %+v", restart, got)
			}
			f = f.at(f.Replica())
		}
		want := f.want(begin, r.topics)
		if err := r.read(f.agent, want[len(want)-1], 0); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.ids); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// deaf wakes nobody: every word is lost.
type deaf struct{}

func (deaf) Wake(string)                      {}
func (deaf) Watch(func(string)) (stop func()) { return func() {} }

// What one replica writes, those who follow at the other get: by the word that comes over PostgreSQL, and where that is
// lost, or there is none, at the next look.
func TestReplicas(t *testing.T) {
	testkit.NoLeaks(t)
	for _, tt := range []struct {
		name   string
		engine testkit.Engine
		waker  func(t *testing.T) wake.Waker
		poll   time.Duration
	}{
		{"notified", testkit.Postgres, notified, time.Hour},
		{"words lost", testkit.Postgres, func(*testing.T) wake.Waker { return deaf{} }, 10 * time.Millisecond},
		{"no words between processes", testkit.SQLite, func(*testing.T) wake.Waker { return nil }, 10 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.engine.Name == testkit.Postgres.Name {
				testkit.Need(t, "postgres")
			}
			with := testkit.With(func(cfg *dashboard.Config) { cfg.Wake, cfg.Pace.Poll = tt.waker(t), tt.poll })
			one := newFloor(t, testkit.On(tt.engine), with)
			other := one.at(one.Replica(with))
			begin := one.head()
			here, there := one.agent.Follow("team", begin), other.agent.Follow("team", begin)
			var written sync.WaitGroup
			const each = 25
			for _, f := range []*floor{one, other} {
				written.Go(func() {
					for i := range each {
						if err := f.comment(i); err != nil {
							t.Error(err)
						}
					}
				})
			}
			for _, s := range []*testkit.Stream{here, there} {
				var got []string
				for range 2 * each {
					got = append(got, s.Next().ID)
				}
				written.Wait()
				if diff := cmp.Diff(one.want(begin, "team"), got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			// The key that is granted more at one replica, or revoked there, loses its streams at the other.
			ada := one.SignIn("ada@example.com")
			one.grant(ada, "boards.edit")
			if got := there.Next(); string(got.Data) != `{"reason":"permissions_changed"}` {
				t.Errorf("after the grant: %+v", got)
			}
			there = other.agent.Follow("team", "")
			if a := ada.Call("DELETE", "/api/keys/"+one.agent.Me.Key.ID, nil); a.Status != 204 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			if got := there.Next(); string(got.Data) != `{"reason":"key_revoked"}` {
				t.Errorf("after the key was revoked: %+v", got)
			}
		})
	}
}

// grant has Ada grant the agent what it asks her for.
func (f *floor) grant(ada *testkit.Caller, permission string) {
	f.t.Helper()
	a := f.agent.Call("POST", "/api/permission-requests", dash.PermissionRequestCreate{Permissions: []string{permission}, Reason: "For the checkout."})
	path := "/api/permission-requests/" + testkit.Decode[dash.PermissionRequestCreated](f.t, a, 201).PublicID
	asked := testkit.Decode[dash.PermissionRequest](f.t, ada.Call("GET", path, nil), 200)
	testkit.Decode[dash.PermissionRequest](f.t, ada.Call("POST", path+"/approve", dash.PermissionApproval{Digest: asked.Digest}), 200)
}

func notified(t *testing.T) wake.Waker {
	w, err := pgnotify.New(testkit.Need(t, "postgres"), slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return w
}
