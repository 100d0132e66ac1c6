// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// cutting is a connection that breaks after some bytes: what came before is received, as far as it is whole.
type cutting struct {
	bytes.Buffer
	left int
}

var errCut = errors.New("the connection is cut")

func (c *cutting) Write(b []byte) (int, error) {
	n := min(len(b), c.left)
	c.left -= n
	c.Buffer.Write(b[:n])
	if n < len(b) {
		return n, errCut
	}
	return n, nil
}

// client follows over connections that break, and goes on with the last id that it received, until it has received the
// last one. It answers all ids that it received.
func client(t *testing.T, w *world, caller int, following []event.Topic, chance *rand.Rand, last string) (ids []string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	after := int64(0)
	for {
		f, err := w.hub.Follow(ctx, stream.Request{TeamID: "team", Topics: following, After: after, Caller: strconv.Itoa(caller)})
		if err != nil {
			t.Error(err)
			return ids
		}
		connection := &cutting{left: chance.IntN(20_000)}
		for hold := chance.IntN(10); err == nil && hold > 0; hold-- {
			patience, stop := context.WithTimeout(ctx, time.Duration(chance.IntN(5))*time.Millisecond)
			if _, err = f.Next(patience, connection); errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				err = nil
			}
			stop()
		}
		f.Close()
		if err != nil && !errors.Is(err, errCut) {
			t.Errorf("client %d after %d ids: %v", caller, len(ids), err)
			return ids
		}
		for _, frame := range frames(t, connection.Bytes()) {
			ids = append(ids, frame.ID)
		}
		if len(ids) > 0 {
			if after, err = strconv.ParseInt(ids[len(ids)-1], 10, 64); err != nil {
				t.Error(err)
				return ids
			}
			if ids[len(ids)-1] == last {
				return ids
			}
		}
	}
}

// bounds are how much a hub holds and reads at a time.
type bounds struct {
	frames, bytes, page int
	warm                int64
}

func (b bounds) apply(h *stream.Hub) { h.Bound(b.frames, b.bytes, b.page, b.warm) }

// deliver has clients follow while events happen at random, of which the word is lost as often as not, and compares what
// each received with the log.
func deliver(t *testing.T, seed uint64, bound bounds, clients, events int) {
	pace := never
	pace.Poll, pace.KeepAlive, pace.Linger = 3*time.Millisecond, 15*time.Millisecond, time.Millisecond
	w := newWorld(t, pace)
	bound.apply(w.hub)
	var running sync.WaitGroup
	last := event.Cursor(int64(events) + 1)
	for i := range clients {
		chance := rand.New(rand.NewPCG(seed, uint64(i)))
		text := fmt.Sprintf("board:%d,card:A1-%d,board:9", 1+chance.IntN(4), 1+chance.IntN(3))
		if chance.IntN(3) == 0 {
			text = "team"
		}
		following, err := event.Parse(text, "")
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			got := client(t, w, i, following, chance, last)
			if diff := cmp.Diff(w.log.want(0, following), got); diff != "" {
				t.Errorf("seed %d: client %d of %s (-want +got):\n%s", seed, i, text, diff)
			}
		})
	}
	chance := rand.New(rand.NewPCG(seed, 1<<32))
	for n := 0; n < events; {
		batch := make([]store.Event, min(1+chance.IntN(20), events-n))
		for i := range batch {
			switch ref := 1 + chance.Int64N(4); chance.IntN(10) {
			case 0:
				batch[i] = ofKey("k")
			case 1, 2, 3:
				batch[i] = onBoard(ref)
			default:
				batch[i] = onCard(ref, fmt.Sprintf("A%d-%d", ref, 1+chance.IntN(5)))
			}
		}
		n += len(batch)
		if w.log.add(batch...); chance.IntN(2) == 0 {
			w.waker.Wake([]string{"team", "", "other"}[chance.IntN(3)])
		}
		if chance.IntN(8) == 0 {
			<-time.After(time.Duration(chance.IntN(2000)) * time.Microsecond)
		}
	}
	w.log.add(onBoard(9)) // on the list of every client
	running.Wait()
	if n := w.hub.Callers(); n != 0 {
		t.Errorf("%d callers are still counted", n)
	}
}

func TestDelivery(t *testing.T) {
	testkit.NoLeaks(t)
	for name, bound := range map[string]bounds{
		"small":   {frames: 8, bytes: 4 << 20, page: 5, warm: 4},
		"tiny":    {frames: 1, bytes: 4 << 20, page: 1, warm: 0},
		"few":     {frames: 100, bytes: 2000, page: 50, warm: 10},
		"no ring": {frames: 0, bytes: 0, page: 3, warm: 0},
		"usual":   {frames: stream.UsualFrames, bytes: 4 << 20, page: 500, warm: stream.UsualWarm},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				deliver(t, seed, bound, 12, 400)
			}
		})
	}
}

// FuzzDelivery looks for a schedule that loses or doubles an event.
func FuzzDelivery(f *testing.F) {
	f.Add(uint64(1), uint16(8), uint16(5), uint16(4))
	f.Add(uint64(2), uint16(1), uint16(1), uint16(100))
	f.Fuzz(func(t *testing.T, seed uint64, frames, page, warm uint16) {
		deliver(t, seed, bounds{frames: int(frames), bytes: 4 << 20, page: int(page) + 1, warm: int64(warm)}, 4, 150)
	})
}
