// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// told is the event in a frame.
func told(t *testing.T, f sse.Frame) dash.Event {
	t.Helper()
	var e dash.Event
	d := json.NewDecoder(bytes.NewReader(f.Data))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil || e.Cursor != f.ID || string(e.Kind) != f.Event {
		t.Errorf("the frame %s %s %s: %v", f.ID, f.Event, f.Data, err)
	}
	return e
}

// ended wants the stream to end for a reason.
func ended(t *testing.T, s *testkit.Stream, why dash.EndReason) {
	t.Helper()
	f := s.Next()
	if want := fmt.Sprintf(`{"reason":%q}`, why); f.Event != "end" || f.ID != "" || string(f.Data) != want {
		t.Errorf("got %q %q %s, want %s", f.ID, f.Event, f.Data, want)
	}
	if f, err := s.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %+v, %v", f, err)
	}
}

func cursor(t *testing.T, c *testkit.Caller) string {
	t.Helper()
	return testkit.Decode[dash.StreamCursor](t, c.Call("GET", "/api/stream/cursor", nil), 200).Cursor
}

// Whoever follows a board, a card or the team gets what happens there, and only that.
func TestStream(t *testing.T) {
	eachDesk(t, func(k *desk) {
		one, other := k.card("One", ""), k.card("Other", "")
		before := cursor(k.T, k.agent)
		streams := map[string]*testkit.Stream{}
		for _, topics := range []string{"team", "board:1", "board:2", "card:" + one.ID, "board:2,card:" + one.ID + ",key:self"} {
			streams[topics] = k.agent.Follow(topics, "")
		}
		h := streams["team"].Header
		if h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-store" || h.Get("X-Accel-Buffering") != "no" {
			k.Errorf("the headers are %v", h)
		}
		k.edit(one, `"title":"One more"`)
		k.edit(other, `"title":"Another"`)
		docs := testkit.Decode[dash.Issue](k.T, k.agent.Call("POST", "/api/issues?board=2", `{"title":"Write"}`), 201)
		for topics, want := range map[string][]string{
			"team": {one.ID, other.ID, docs.ID}, "board:1": {one.ID, other.ID}, "board:2": {docs.ID},
			"card:" + one.ID: {one.ID}, "board:2,card:" + one.ID + ",key:self": {one.ID, docs.ID},
		} {
			last := before
			for _, id := range want {
				e := told(k.T, streams[topics].Next())
				if e.Issue == nil || *e.Issue != id || len(e.Cursor) == len(last) && e.Cursor <= last {
					k.Errorf("%s: got %+v after %s, want one of %s", topics, e, last, id)
				}
				last = e.Cursor
			}
		}
		if now := cursor(k.T, k.ada); now == before {
			k.Errorf("the log stands at %s", now)
		}
	})
}

// A stream begins where it is told: the header goes before the parameter, and without both it begins now.
func TestStreamBegins(t *testing.T) {
	k := newDesk(t)
	k.board("SHOP")
	begin := cursor(t, k.agent)
	cards := []dash.Issue{k.card("A", ""), k.card("B", ""), k.card("C", "")}
	first := func(query, lastID string) string {
		t.Helper()
		r := k.agent.Request("GET", "/api/stream?topics="+query, nil)
		if lastID != "" {
			r.Header.Set("Last-Event-ID", lastID)
		}
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		f, err := sse.NewReader(response.Body).Next()
		if err != nil {
			t.Fatal(err)
		}
		return *told(t, f).Issue
	}
	number, _ := event.ParseCursor(begin)
	for _, tt := range []struct{ query, lastID, want string }{
		{"team&after=" + begin, "", cards[0].ID},
		{"team&after=" + event.Cursor(number+1), "", cards[1].ID},
		{"team", event.Cursor(number + 2), cards[2].ID},
		{"team&after=" + begin, event.Cursor(number + 1), cards[1].ID},
		{"card:" + cards[2].ID + "&after=0", "", cards[2].ID},
	} {
		if got := first(tt.query, tt.lastID); got != tt.want {
			t.Errorf("%s and %q begin with %s, want %s", tt.query, tt.lastID, got, tt.want)
		}
	}
	now := k.agent.Follow("team", "")
	d := k.card("D", "")
	if e := told(t, now.Next()); *e.Issue != d.ID {
		t.Errorf("now begins with %s", *e.Issue)
	}
}

func TestStreamRefusals(t *testing.T) {
	eachDesk(t, func(k *desk) {
		card := k.card("One", "")
		blind := k.Agent(k.ada, dash.PermissionPlansView)
		for _, tt := range []struct {
			name   string
			as     *testkit.Caller
			query  string
			status int
			code   string
			says   string
		}{
			{"no topics", k.agent, "", 400, "invalid_request", "topics"},
			{"a topic that is none", k.agent, "topics=team,plan:1", 400, "invalid_request", `the topic \"plan:1\"`},
			{"an empty topic", k.agent, "topics=team,", 400, "invalid_request", `the topic \"\"`},
			{"a cursor that is none", k.agent, "topics=team&after=x", 400, "invalid_request", "after"},
			{"an unknown parameter", k.agent, "topics=team&since=1", 400, "invalid_request", "since"},
			{"nobody", k.Nobody(), "topics=team", 401, "unauthenticated", ""},
			{"a person's key", k.ada, "topics=team,key:self", 403, "key_required", ""},
			{"the team without permission", blind, "topics=key:self,team", 403, "forbidden", "cards.view"},
			{"a board without permission", blind, "topics=board:1", 403, "forbidden", "cards.view"},
			{"a card without permission", blind, "topics=card:" + card.ID, 403, "forbidden", "cards.view"},
			{"a card that is not there, without permission", blind, "topics=card:SHOP-99", 403, "forbidden", "cards.view"},
			{"a board that is not there", k.agent, "topics=board:1,board:99", 404, "not_found", "board:99"},
			{"a card that is not there", k.agent, "topics=card:SHOP-99", 404, "not_found", "card:SHOP-99"},
		} {
			a := tt.as.Call("GET", "/api/stream?"+tt.query, nil)
			if a.Status != tt.status || a.Code() != tt.code || !strings.Contains(string(a.Body), tt.says) {
				k.Errorf("%s: %d %s", tt.name, a.Status, a.Body)
			}
		}
		r := k.agent.Request("GET", "/api/stream?topics=team", nil)
		r.Header.Set("Last-Event-ID", "x")
		if a := k.agent.Do(r); a.Code() != "invalid_request" {
			k.Errorf("a last id that is none: %d %s", a.Status, a.Body)
		}
		blind.Follow("key:self", "").Close()
	})
}

func TestHeadOfAStream(t *testing.T) {
	testkit.NoLeaks(t)
	k := newDesk(t)
	a := k.agent.Call("HEAD", "/api/stream?topics=team", nil)
	if a.Status != 200 || a.Header.Get("Content-Type") != "text/event-stream" || len(a.Body) > 0 {
		t.Errorf("%d %v %s", a.Status, a.Header, a.Body)
	}
	if a := k.agent.Call("HEAD", "/api/stream?topics=board:9", nil); a.Status != 404 {
		t.Errorf("of what is not there: %d", a.Status)
	}
}

// A cursor that the log does not reach is told once, with where to go on.
func TestStaleStream(t *testing.T) {
	eachDesk(t, func(k *desk) {
		s := k.agent.Follow("team", "4711")
		f := s.Next()
		if want := fmt.Sprintf(`{"cursor":%q}`, cursor(k.T, k.agent)); f.Event != "stale" || f.ID != "" || string(f.Data) != want {
			k.Errorf("got %q %q %s, want %s", f.ID, f.Event, f.Data, want)
		}
		card := k.card("One", "")
		if e := told(k.T, s.Next()); *e.Issue != card.ID {
			k.Errorf("then %+v", e)
		}
	})
}

func TestTooManyStreams(t *testing.T) {
	testkit.NoLeaks(t)
	k := newDesk(t)
	var open []*testkit.Stream
	for range stream.FollowersMost {
		open = append(open, k.agent.Follow("team", ""))
	}
	a := k.agent.Call("GET", "/api/stream?topics=team", nil)
	if got := testkit.Decode[dash.TooManyStreamsRefusal](t, a, 429); got.Limit != stream.FollowersMost {
		t.Errorf("refused with %s", a.Body)
	}
	k.ada.Follow("team", "").Close()
	k.Agent(k.ada).Follow("team", "").Close()
	open[0].Close()
	for { // until the server has noticed
		s, err := k.agent.TryFollow("team", "")
		if err == nil {
			s.Close()
			break
		}
		var refused *testkit.UnexpectedError
		if !errors.As(err, &refused) || refused.Answer.Status != 429 {
			t.Fatal(err)
		}
	}
}

// A key that is revoked ends its streams at once, whatever they follow, and nobody else's.
func TestRevokedKeyEndsItsStreams(t *testing.T) {
	eachDesk(t, func(k *desk) {
		other := k.Agent(k.ada).Follow("key:self,team", "")
		on := k.agent.Follow("board:1", "")
		self := k.agent.Follow("key:self", "")
		before := cursor(k.T, k.ada)
		if a := k.ada.Call("DELETE", "/api/keys/"+k.agent.Me.Key.ID, nil); a.Status != 204 {
			k.Fatalf("%d %s", a.Status, a.Body)
		}
		ended(k.T, on, dash.EndReasonKeyRevoked)
		if e := told(k.T, self.Next()); e.Kind != dash.EventKindKeyRevoked || e.By.Person.Name != "Ada" {
			k.Errorf("got %+v", e)
		}
		ended(k.T, self, dash.EndReasonKeyRevoked)
		if a := k.agent.Call("GET", "/api/stream?topics=team", nil); a.Code() != "key_revoked" {
			k.Errorf("opened again: %d %s", a.Status, a.Body)
		}
		k.ada.Call("POST", "/api/boards", dash.BoardCreate{Name: "Next", Prefix: "NEXT"})
		if e := told(k.T, other.Next()); e.Kind != dash.EventKindBoardCreated {
			k.Errorf("another key's stream says %+v after %s", e, before)
		}
	})
}

// Whoever signs out, or in again, ends the streams of that browser session at once, and no other's.
func TestSignedOutEndsItsStreams(t *testing.T) {
	testkit.NoLeaks(t)
	k := newDesk(t) // which judges once a minute
	desk, phone := k.SignIn("ada@example.com"), k.SignIn("ada@example.com")
	streams := []*testkit.Stream{desk.Follow("team", ""), desk.Follow("team", ""), phone.Follow("team", "")}
	others := []*testkit.Stream{k.ada.Follow("team", ""), k.agent.Follow("team", "")}
	if a := desk.Call("POST", "/api/auth/logout", nil); a.Status != 204 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	ended(t, streams[0], dash.EndReasonSignedOut)
	ended(t, streams[1], dash.EndReasonSignedOut)
	again := k.Nobody().Request("POST", "/api/auth/login", dash.Login{Email: "ada@example.com", Password: testkit.Password})
	again.AddCookie(phone.Cookie)
	if a := k.Nobody().Do(again); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	ended(t, streams[2], dash.EndReasonSignedOut)
	k.board("NEXT")
	for _, s := range others {
		if e := told(t, s.Next()); e.Kind != dash.EventKindBoardCreated {
			t.Errorf("another's stream says %+v", e)
		}
	}
}

// hasty judges credentials again soon. Were it at every millisecond, a machine that is busy would do nothing else.
func hasty(cfg *dashboard.Config) {
	cfg.Pace.KeepAlive, cfg.Pace.Recheck = 20*time.Millisecond, 10*time.Millisecond
}

// A stream ends with the credential that opened it.
func TestStreamsAreJudgedAgain(t *testing.T) {
	testkit.NoLeaks(t)
	t.Run("signed out", func(t *testing.T) {
		k := newDesk(t, testkit.With(hasty))
		s, other := k.ada.Follow("team", ""), k.SignIn("ada@example.com").Follow("team", "")
		k.ada.Call("POST", "/api/auth/logout", nil)
		ended(t, s, dash.EndReasonSignedOut)
		k.agent.Call("POST", "/api/boards", dash.BoardCreate{Name: "Next", Prefix: "NEXT"})
		k.SignIn("ada@example.com").Call("POST", "/api/boards", dash.BoardCreate{Name: "Next", Prefix: "NEXT"})
		if e := told(t, other.Next()); e.Kind != dash.EventKindBoardCreated {
			t.Errorf("another browser's stream says %+v", e)
		}
	})
	t.Run("session over", func(t *testing.T) {
		k := newDesk(t, testkit.With(hasty))
		s := k.ada.Follow("team", "")
		k.Clock.Advance(31 * 24 * time.Hour)
		ended(t, s, dash.EndReasonSignedOut)
	})
	t.Run("key lapsed", func(t *testing.T) {
		k := newDesk(t, testkit.With(hasty))
		s := k.agent.Follow("team", "")
		k.Clock.Advance(25 * time.Hour)
		ended(t, s, dash.EndReasonSignedOut)
	})
	t.Run("revoked, and nobody woke", func(t *testing.T) {
		k := newDesk(t, testkit.With(hasty), testkit.With(func(cfg *dashboard.Config) {
			cfg.Wake, cfg.Pace.Poll = deaf{}, time.Hour
		}))
		s := k.agent.Follow("team", "")
		k.ada.Call("DELETE", "/api/keys/"+k.agent.Me.Key.ID, nil)
		ended(t, s, dash.EndReasonKeyRevoked)
	})
	for name, change := range map[string]func(*store.Key){
		"permissions changed": func(k *store.Key) { k.Permissions = []dash.Permission{dash.PermissionCardsView} },
		"between the guard and the stream": func(k *store.Key) {
			k.RevokedAt, k.RevokedBy = testkit.Start, dash.PersonRef{Name: "Ada"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			keys := &changing{change: change}
			k := newDesk(t, testkit.With(hasty), testkit.With(func(cfg *dashboard.Config) {
				keys.Store = cfg.Store
				cfg.Store = keys
				if name != "permissions changed" {
					cfg.Pace = stream.Pace{} // at the start alone
				}
			}))
			keys.armed.Store(true)
			s := k.agent.Follow("team", "")
			ended(t, s, map[bool]dash.EndReason{true: dash.EndReasonPermissionsChanged, false: dash.EndReasonKeyRevoked}[name == "permissions changed"])
		})
	}
}

// deaf wakes nobody.
type deaf struct{}

func (deaf) Wake(string)                      {}
func (deaf) Watch(func(string)) (stop func()) { return func() {} }

// changing is a store whose keys change, once it is armed, after the guard has looked.
type changing struct {
	store.Store
	change func(*store.Key)
	armed  atomic.Bool
	looks  atomic.Int64
}

func (c *changing) KeyByHash(ctx context.Context, hash string) (store.Key, store.Team, error) {
	k, team, err := c.Store.KeyByHash(ctx, hash)
	if c.armed.Load() && c.looks.Add(1) > 1 {
		c.change(&k)
	}
	return k, team, err
}

// An open stream counts as use of its key.
func TestStreamIsUseOfItsKey(t *testing.T) {
	testkit.NoLeaks(t)
	k := newDesk(t, testkit.With(hasty))
	s := k.agent.Follow("team", "")
	for range 3 {
		k.Clock.Advance(23 * time.Hour)
		for used := false; !used; { // until the stream was judged again
			keys := testkit.Decode[dash.KeyPage](t, k.ada.Call("GET", "/api/keys", nil), 200).Keys
			used = keys[0].LastUsedAt.Equal(k.Clock.Now())
		}
	}
	k.ada.Call("POST", "/api/boards", dash.BoardCreate{Name: "Next", Prefix: "NEXT"})
	if e := told(t, s.Next()); e.Kind != dash.EventKindBoardCreated {
		t.Errorf("the stream says %+v", e)
	}
}

// A stream says first when to come back, and now and then that it is there.
func TestKeepAlive(t *testing.T) {
	testkit.NoLeaks(t)
	k := newDesk(t, testkit.With(func(cfg *dashboard.Config) { cfg.Pace.KeepAlive = 5 * time.Millisecond }))
	r := k.agent.Request("GET", "/api/stream?"+url.Values{"topics": {"team"}}.Encode(), nil)
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for i, want := range []string{"retry: 2000", "", ": keep-alive", "", ": keep-alive", ""} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("line %d is %q, want %q", i, lines.Text(), want)
		}
	}
}

// A database that cannot be read ends what needs it, and says no more than that.
func TestStreamOfABrokenLog(t *testing.T) {
	testkit.NoLeaks(t)
	broken := &brokenLog{}
	k := newDesk(t, testkit.With(func(cfg *dashboard.Config) {
		broken.Store = cfg.Store
		cfg.Store = broken
	}))
	broken.is.Store(true)
	for _, path := range []string{"/api/stream?topics=team", "/api/stream/cursor"} {
		if a := k.agent.Call("GET", path, nil); a.Code() != "internal" || strings.Contains(string(a.Body), "disk") {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
}

type brokenLog struct {
	store.Store
	is atomic.Bool
}

func (b *brokenLog) Of(team string) store.WorkReader { return brokenReader{b.Store.Of(team), b} }

type brokenReader struct {
	store.WorkReader
	of *brokenLog
}

func (b brokenReader) EventHead(ctx context.Context) (int64, error) {
	if b.of.is.Load() {
		return 0, errors.New("disk on fire")
	}
	return b.WorkReader.EventHead(ctx)
}
