// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// never is a pace at which nothing happens by the clock.
var never = stream.Pace{Poll: time.Hour, KeepAlive: time.Hour, Linger: time.Hour, Join: time.Millisecond}

func same(t *testing.T, what string, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestFollowersGetTheirEvents(t *testing.T) {
	testkit.NoLeaks(t)
	w := newWorld(t, never)
	w.happen(onBoard(1))
	team := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	board := w.follow(stream.Request{Topics: topics(t, "board:2,card:A1-1", ""), After: 0})
	defer team.Close()
	defer board.Close()
	w.happen(onBoard(2), onCard(1, "A1-1"), ofKey("k"))
	w.happen(onCard(1, "A1-2"), onCard(2, "A2-1"))
	got, _ := read(t, team, 4)
	same(t, "the team", []string{"2", "3", "5", "6"}, got)
	got, _ = read(t, board, 3)
	same(t, "a board and a card", []string{"2", "3", "6"}, got)
}

// A frame is an event as the contract has it.
func TestFrame(t *testing.T) {
	w := newWorld(t, never)
	f := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	defer f.Close()
	e := onCard(1, "A1-1")
	e.At, e.Changes = dash.At(testkit.Start), []dash.Change{{Field: "title"}}
	w.happen(e)
	var out bytes.Buffer
	if _, err := f.Next(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	got := frames(t, out.Bytes())
	var data dash.Event
	if len(got) != 1 || json.Unmarshal(got[0].Data, &data) != nil {
		t.Fatalf("it wrote %s", &out)
	}
	e.Cursor = "1"
	if diff := cmp.Diff(e.Event, data); diff != "" || got[0].ID != "1" || got[0].Event != "issue.edited" {
		t.Errorf("it wrote %s", &out)
	}
}

// A key's own end comes to its stream whatever that follows, as a frame only where it asked.
func TestRevoked(t *testing.T) {
	testkit.NoLeaks(t)
	for topic, want := range map[string][]string{"team": {"1"}, "team,key:self": {"1", "3"}, "key:self": {"3"}} {
		for _, late := range []bool{false, true} {
			w := newWorld(t, never)
			happen := func() { w.happen(onBoard(1), ofKey("other"), ofKey("mine"), onBoard(1)) }
			if late {
				happen()
			}
			f := w.follow(stream.Request{Topics: topics(t, topic, "mine"), KeyID: "mine", After: 0})
			if !late {
				happen()
			}
			got, signs := read(t, f, 10)
			if same(t, topic, want, got); signs != stream.Revoked {
				t.Errorf("%s: signs %b", topic, signs)
			}
			f.Close()
		}
	}
}

func TestStaleCursors(t *testing.T) {
	w := newWorld(t, never)
	many := make([]store.Event, event.ReplayMost+2)
	for i := range many {
		many[i] = onBoard(1)
	}
	head := w.happen(many...)
	for after, want := range map[int64]bool{0: true, 1: true, 2: false, head: false, head + 1: true, stream.Now: false} {
		f := w.follow(stream.Request{Topics: topics(t, "board:2", ""), After: after})
		cursor, stale := f.Stale()
		if stale != want || stale && cursor != head {
			t.Errorf("%d of %d: %d, %v", after, head, cursor, stale)
		}
		f.Close()
	}
	f := w.follow(stream.Request{Topics: topics(t, "board:2", ""), After: head + 1})
	defer f.Close()
	w.happen(onBoard(2))
	got, _ := read(t, f, 1)
	same(t, "after a stale cursor", []string{event.Cursor(head + 1)}, got)
}

// Followers that are behind the ring read the log until they are in it, and go on without a gap.
func TestBehindTheRing(t *testing.T) {
	testkit.NoLeaks(t)
	w := newWorld(t, never)
	frames, warm := int64(stream.UsualFrames), int64(stream.UsualWarm)
	boards := func(n int64) {
		events := make([]store.Event, n)
		for i := range events {
			events[i] = onBoard(int64(i%3 + 1))
		}
		w.happen(events...)
	}
	boards(frames * 2)
	var readers sync.WaitGroup
	for _, after := range []int64{0, 1, warm, frames, 2*frames - warm - 1, 2*frames - warm, 2*frames - 1, stream.Now} {
		f := w.follow(stream.Request{Topics: topics(t, "board:1,board:4", ""), After: after})
		defer f.Close()
		readers.Go(func() {
			got := readTo(t, f, event.Cursor(5*frames+1))
			if diff := cmp.Diff(w.log.want(f.Began(), f.Topics()), got); diff != "" {
				t.Errorf("after %d (-want +got):\n%s", f.Began(), diff)
			}
		})
	}
	for range 3 * 16 {
		boards(frames / 16)
	}
	w.happen(onBoard(4))
	readers.Wait()
}

// Without any word of news, events come at the next look.
func TestWordsLost(t *testing.T) {
	testkit.NoLeaks(t)
	pace := never
	pace.Poll = 5 * time.Millisecond
	w := newWorld(t, pace)
	f := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	defer f.Close()
	for i := range 5 {
		w.log.add(onBoard(1))
		got, _ := read(t, f, 1)
		same(t, "an event", []string{strconv.Itoa(i + 1)}, got)
	}
}

// Only those wake whom something concerns.
func TestOthersSleep(t *testing.T) {
	w := newWorld(t, never)
	quiet := w.follow(stream.Request{Topics: topics(t, "board:2,card:A1-2,key:self", "k"), KeyID: "k", After: stream.Now})
	busy := w.follow(stream.Request{Topics: topics(t, "board:1", ""), After: stream.Now})
	defer quiet.Close()
	defer busy.Close()
	for range 10 {
		w.happen(onCard(1, "A1-1"), onBoard(3), ofKey("other"))
		read(t, busy, 1)
	}
	if quiet.Poked() {
		t.Error("a follower was woken that nothing concerns")
	}
	w.happen(onCard(2, "A2-9"))
	got, _ := read(t, quiet, 1)
	same(t, "the quiet one", []string{"31"}, got)
}

// Each event is read from the log once, however many follow.
func TestOneReader(t *testing.T) {
	w := newWorld(t, never)
	var followers []*stream.Follower
	for i := range 200 {
		f := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now, Caller: strconv.Itoa(i)})
		defer f.Close()
		followers = append(followers, f)
	}
	w.happen(onBoard(1))
	for _, f := range followers {
		read(t, f, 1)
	}
	if n := w.log.reads.Load(); n > 3 {
		t.Errorf("the log was read %d times", n)
	}
}

func TestTicks(t *testing.T) {
	testkit.NoLeaks(t)
	pace := never
	pace.KeepAlive = 20 * time.Millisecond
	w := newWorld(t, pace)
	f := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	defer f.Close()
	began := time.Now()
	for range 3 {
		if signs, err := f.Next(t.Context(), &bytes.Buffer{}); err != nil || signs != stream.Tick {
			t.Fatalf("signs %b, %v", signs, err)
		}
	}
	if took := time.Since(began); took < 40*time.Millisecond {
		t.Errorf("three ticks in %v", took)
	}
}

// The followers of a browser session are told to be judged before they send anything else; nobody else is.
func TestJudge(t *testing.T) {
	testkit.NoLeaks(t)
	w := newWorld(t, never)
	all := topics(t, "team", "")
	waiting := w.follow(stream.Request{Topics: all, Login: "one", After: stream.Now})
	other := w.follow(stream.Request{Topics: all, Login: "other", After: stream.Now})
	key := w.follow(stream.Request{Topics: all, KeyID: "k", After: stream.Now})
	w.log.add(onBoard(1))
	behind := w.follow(stream.Request{Topics: all, Login: "one", After: 0})
	for _, f := range []*stream.Follower{waiting, other, key, behind} {
		defer f.Close()
	}
	w.hub.Judge("one")
	for name, f := range map[string]*stream.Follower{"waiting": waiting, "behind": behind} {
		var out bytes.Buffer
		if signs, err := f.Next(t.Context(), &out); signs != stream.Judge || err != nil || out.Len() > 0 {
			t.Errorf("%s: signs %b, %v, %q", name, signs, err, out.Bytes())
		}
	}
	w.waker.Wake("team")
	for name, f := range map[string]*stream.Follower{"waiting": waiting, "behind": behind, "other": other, "key": key} {
		if got, signs := read(t, f, 1); len(got) != 1 || signs != 0 {
			t.Errorf("%s: %v, signs %b", name, got, signs)
		}
	}
}

func TestDrain(t *testing.T) {
	testkit.NoLeaks(t)
	w := newWorld(t, never)
	waiting := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	defer waiting.Close()
	ended := make(chan stream.Sign)
	go func() {
		signs, _ := waiting.Next(t.Context(), &bytes.Buffer{})
		ended <- signs
	}()
	behind := w.follow(stream.Request{Topics: topics(t, "team", ""), After: 0})
	defer behind.Close()
	w.log.add(onBoard(1))
	w.hub.Drain()
	if signs := <-ended; signs != stream.Ends {
		t.Errorf("signs %b", signs)
	}
	if _, signs := read(t, behind, 1); signs != stream.Ends {
		t.Errorf("signs %b of one with something to read", signs)
	}
	if _, err := w.hub.Follow(t.Context(), stream.Request{TeamID: "team", After: stream.Now}); !errors.Is(err, stream.ErrEnds) {
		t.Errorf("one that comes late: %v", err)
	}
}

func TestTooMany(t *testing.T) {
	w := newWorld(t, never)
	request := stream.Request{TeamID: "team", Topics: topics(t, "team", ""), After: stream.Now, Caller: "one"}
	var followers []*stream.Follower
	for range stream.FollowersMost {
		followers = append(followers, w.follow(request))
	}
	if _, err := w.hub.Follow(t.Context(), request); !errors.Is(err, stream.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	other := request
	other.Caller = "other"
	w.follow(other).Close()
	followers[0].Close()
	w.follow(request).Close()
	for _, f := range followers[1:] {
		f.Close()
	}
	w.log.broken.Store(true)
	for range stream.FollowersMost + 1 { // a failure is not counted
		if _, err := w.hub.Follow(t.Context(), request); !errors.Is(err, errBroken) {
			t.Fatalf("a log that is broken: %v", err)
		}
	}
	if n := w.hub.Callers(); n != 0 {
		t.Errorf("%d callers are still counted", n)
	}
}

// A log that cannot be read makes its streams late; a follower that needs it to go on is told.
func TestBrokenLog(t *testing.T) {
	testkit.NoLeaks(t)
	pace := never
	pace.Poll = 5 * time.Millisecond
	w := newWorld(t, pace)
	w.log.add(make([]store.Event, 3*stream.UsualFrames)...)
	f := w.follow(stream.Request{Topics: topics(t, "board:1", ""), After: stream.Now})
	defer f.Close()
	behind := w.follow(stream.Request{Topics: topics(t, "board:1", ""), After: 0})
	defer behind.Close()
	w.log.broken.Store(true)
	w.happen(onBoard(1))
	if _, err := behind.Next(t.Context(), &bytes.Buffer{}); !errors.Is(err, errBroken) {
		t.Errorf("one that is behind: %v", err)
	}
	w.log.broken.Store(false)
	got, _ := read(t, f, 1)
	same(t, "the others", []string{strconv.Itoa(3*stream.UsualFrames + 1)}, got)
}

// A tail that nobody follows ends, and the next follower begins another.
func TestTailEnds(t *testing.T) {
	testkit.NoLeaks(t)
	pace := never
	pace.Linger = 5 * time.Millisecond
	w := newWorld(t, pace)
	for range 3 {
		f := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
		w.happen(onBoard(1))
		read(t, f, 1)
		f.Close()
		for w.hub.Tails() > 0 {
			if t.Context().Err() != nil {
				t.Fatal("the tail stays")
			}
		}
	}
}

// Teams share nothing.
func TestTeams(t *testing.T) {
	w := newWorld(t, never)
	logs := map[string]*memory{"a": {}, "b": {}}
	w.hub.Log = func(team string) stream.Log { return logs[team] }
	a := w.follow(stream.Request{TeamID: "a", Topics: topics(t, "team", ""), After: stream.Now})
	b := w.follow(stream.Request{TeamID: "b", Topics: topics(t, "team", ""), After: stream.Now})
	defer a.Close()
	defer b.Close()
	logs["a"].add(onBoard(1))
	logs["b"].add(onBoard(1), onBoard(2))
	w.waker.Wake("") // any team
	got, _ := read(t, a, 1)
	same(t, "a", []string{"1"}, got)
	got, _ = read(t, b, 2)
	same(t, "b", []string{"1", "2"}, got)
}

// A connection that takes nothing holds up nobody else, and goes on where it stood.
func TestStalledFollower(t *testing.T) {
	testkit.NoLeaks(t)
	w := newWorld(t, never)
	slow := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	quick := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	defer slow.Close()
	defer quick.Close()
	stuck := &stall{held: make(chan struct{}), let: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		for n := 0; n < 2*stream.UsualFrames; {
			if _, err := slow.Next(t.Context(), stuck); err != nil {
				ended <- err
				return
			}
			n = len(frames(t, stuck.out.Bytes()))
		}
		ended <- nil
	}()
	w.happen(onBoard(1))
	<-stuck.held
	for i := 1; i < 2*stream.UsualFrames; i += 64 {
		events := make([]store.Event, min(64, 2*stream.UsualFrames-i))
		for j := range events {
			events[j] = onBoard(1)
		}
		w.happen(events...)
	}
	got, _ := read(t, quick, 2*stream.UsualFrames)
	same(t, "the quick one", w.log.want(0, quick.Topics()), got)
	close(stuck.let)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, f := range frames(t, stuck.out.Bytes()) {
		got = append(got, f.ID)
	}
	same(t, "the slow one", w.log.want(0, slow.Topics()), got)
}

// stall is a connection that takes nothing until it is let.
type stall struct {
	held, let chan struct{}
	once      sync.Once
	out       bytes.Buffer
}

func (s *stall) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.held) })
	<-s.let
	return s.out.Write(b)
}

func TestNextEndsWithItsContext(t *testing.T) {
	testkit.NoLeaks(t)
	w := newWorld(t, never)
	f := w.follow(stream.Request{Topics: topics(t, "team", ""), After: stream.Now})
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := f.Next(ctx, &bytes.Buffer{})
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	broken := fmt.Errorf("the connection is gone")
	w.happen(onBoard(1))
	if _, err := f.Next(t.Context(), failing{broken}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
