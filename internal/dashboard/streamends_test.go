// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
	"github.com/fiftyarms/platform/internal/wake"
	"github.com/fiftyarms/platform/internal/wake/inproc"
)

// served is the same floor on a real listener, with its time limits.
func (f *floor) served(t *testing.T) (*serving, *floor) {
	t.Helper()
	s := serve(t, f.Server)
	there := *f.Running
	there.URL = "http://" + s.addr
	return s, f.at(&there)
}

// A server that drains ends its streams at once, and those that come late, and does not wait for anybody.
func TestDrainEndsStreams(t *testing.T) {
	testkit.NoLeaks(t)
	f := newFloor(t)
	s, there := f.served(t)
	var open []*testkit.Stream
	for range 20 {
		open = append(open, there.agent.Follow("team", ""))
	}
	began := time.Now()
	s.stop()
	for _, one := range open {
		if got := one.Next(); string(got.Data) != `{"reason":"server_ends"}` {
			t.Errorf("got %+v", got)
		}
		if _, err := one.Read(); !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
	}
	if err := <-s.ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	late := f.agent.Follow("team", "")
	if got := late.Next(); string(got.Data) != `{"reason":"server_ends"}` {
		t.Errorf("one that comes late: %+v", got)
	}
}

// Nor does it wait for a reader that takes nothing.
func TestDrainCutsStalledStreams(t *testing.T) {
	testkit.NoLeaks(t)
	waker := &inproc.Waker{}
	f := newFloor(t, testkit.With(func(cfg *dashboard.Config) { cfg.Wake = waker }))
	begin := f.head()
	s, there := f.served(t)
	there.slowly(t, begin)
	quick := there.agent.Follow("team", begin)
	for range 5 {
		f.happen(waker, 50, 20_000)
		for range 50 {
			quick.Next()
		}
	}
	quick.Close()
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

// The time limits of calls are none of streams.
func TestStreamsOutliveCalls(t *testing.T) {
	testkit.NoLeaks(t)
	f := newFloor(t, testkit.With(func(cfg *dashboard.Config) { cfg.Pace.KeepAlive = 20 * time.Millisecond }))
	f.Server.Hurry(50*time.Millisecond, time.Second)
	f.Server.HurryWrites(50 * time.Millisecond)
	s, there := f.served(t)
	open := there.agent.Follow("team", "")
	for n := 0; n < 5; { // 100 ms each by the clock of the stream itself
		tick := there.agent.Request("GET", "/api/stream?topics=team", nil)
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(tick)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(response.Body, make([]byte, len("retry: 2000\n\n")+4*len(": keep-alive\n\n"))); err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		n++
	}
	if err := f.comment(0); err != nil {
		t.Fatal(err)
	}
	if got := open.Next(); got.Event != string(dash.EventKindIssueCommented) {
		t.Errorf("got %+v", got)
	}
	s.stop()
	<-s.ended
}

// happen appends events as large as this to the log, past the API.
func (f *floor) happen(w wake.Waker, n, bytes int) {
	f.t.Helper()
	text := strings.Repeat("x", bytes)
	board := dash.BoardRef(1)
	err := f.Store.Change(f.t.Context(), f.team, func(tx store.WorkTx) error {
		for range n {
			_, err := tx.Append(f.t.Context(), store.Event{Event: dash.Event{
				Kind: dash.EventKindBoardEdited, At: dash.At(testkit.Start), Board: &board, Changes: []dash.Change{{Field: "description", To: &text}},
				By: dash.Actor{Kind: dash.ActorKindPerson, Name: "Ada", Person: dash.PersonRef{ID: "a", Name: "Ada"}},
			}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	w.Wake(f.team)
}

// A reader that takes nothing for a while holds up nobody, is not dropped, and gets all of it when it reads on.
func TestSlowReader(t *testing.T) {
	testkit.NoLeaks(t)
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		waker := &inproc.Waker{}
		f := newFloor(t, testkit.On(e), testkit.With(func(cfg *dashboard.Config) { cfg.Wake = waker }))
		begin := f.head()
		s, there := f.served(t)
		slow := there.slowly(t, begin)
		quick := there.agent.Follow("team", begin)
		const n, size = 500, 20_000 // 10 MB: more than a connection holds, and than the ring
		for range n / 50 {
			f.happen(waker, 50, size)
			for range 50 {
				quick.Next()
			}
		}
		want := f.want(begin, "team")
		var got []string
		for range n {
			frame, err := slow.Next()
			if err != nil {
				t.Fatalf("after %d: %v", len(got), err)
			}
			got = append(got, frame.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.stop()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	})
}

// slowly opens a stream on a connection that takes little until it is read.
func (f *floor) slowly(t *testing.T, lastID string) *sse.Reader {
	t.Helper()
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(64 << 10)
		}
		return c, err
	}
	r := f.agent.Request("GET", "/api/stream?topics=team", nil)
	r.Header.Set("Last-Event-ID", lastID)
	response, err := (&http.Transport{DialContext: dial, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return sse.NewReader(response.Body)
}

// Clients that leave without a word leave nothing behind.
func TestClientsThatLeave(t *testing.T) {
	testkit.NoLeaks(t)
	f := newFloor(t)
	for range 5 {
		var open []*testkit.Stream
		for range 40 {
			open = append(open, f.agent.Follow("team", ""))
		}
		for _, s := range open {
			s.Close()
		}
		for { // until the server has noticed, all of them count
			s, err := f.agent.TryFollow("team", "")
			if err == nil {
				s.Close()
				break
			}
		}
	}
}
