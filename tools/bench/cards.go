// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

const (
	boards      = 50
	cardsPer    = 20 // on each board
	openStreams = 1000
	streamsAKey = 64 // that one caller may have
	readers     = 16 // connections
	writers     = 8
	// writesASecond is how many changes are asked for while cards are read as fast as they are answered: a little above
	// what is promised, since some will be late.
	writesASecond = 600
)

// A board has its cards, and counts the events that their changes make.
type board struct {
	ref   int64
	cards []*card
	due   atomic.Int64
}

type card struct {
	board   *board
	id      string
	version int64
	events  int64 // that its changes have made
}

// cardFigures measures reads and changes of cards over loopback, while streams are open on all boards, and the memory
// that the dashboard has needed by then.
func cardFigures(ctx context.Context, d *dashboardProcess) ([]figure, error) {
	bs, err := d.fill(ctx)
	if err != nil {
		return nil, err
	}
	var keys []string
	for range (openStreams + streamsAKey - 1) / streamsAKey {
		key, err := d.approvedKey(ctx)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	head, err := d.person.GetStreamCursorWithResponse(ctx)
	if err != nil {
		return nil, err
	}
	if head.JSON200 == nil {
		return nil, fmt.Errorf("read the cursor: %s", head.Body)
	}
	a, err := listen(d.URL, keys, bs, openStreams, head.JSON200.Cursor)
	defer a.leave()
	if err != nil {
		return nil, err
	}
	// Both at once: a dashboard is read while it changes.
	var read, written pressed
	var notRead, notWritten error
	var both sync.WaitGroup
	both.Go(func() { read, notRead = press(d.URL, d.reading(bs), 0) })
	both.Go(func() { written, notWritten = press(d.URL, d.writing(bs), writers*time.Second/writesASecond) })
	both.Wait()
	if err := errors.Join(notRead, notWritten); err != nil {
		return nil, fmt.Errorf("read and change cards: %w", err)
	}
	events, err := d.finish(bs)
	if err != nil {
		return nil, err
	}
	whole, wrong := a.whole()
	told := fmt.Sprintf("%d events in the log, %d on their streams", events, events*openStreams/boards)
	if wrong != nil {
		told = wrong.Error()
	}
	peak, err := peakMB(d.cmd.Process.Pid)
	with := fmt.Sprintf("with %d streams on %d boards", openStreams, boards)
	return []figure{
		{Name: "dashboard: card reads", Unit: "/s", AtLeast: 5000, Seen: read.perSecond, Details: fmt.Sprintf("%d by a key over %d connections, while cards change, %s", read.calls, readers, with)},
		{Name: "dashboard: 99 of 100 card reads take", Unit: "ms", AtMost: 50, Seen: ms(read.p99)},
		{Name: "dashboard: card changes with their events", Unit: "/s", AtLeast: 500, Seen: written.perSecond, Details: fmt.Sprintf("%d moves and edits over %d connections, %s", written.calls, writers, with)},
		{Name: "dashboard: 99 of 100 card changes take", Unit: "ms", AtMost: 50, Seen: ms(written.p99)},
		{Name: "dashboard: streams that got every event of their board", AtLeast: openStreams, Seen: float64(whole), Details: told},
		{Name: "dashboard: peak memory by then", Unit: "MB", AtMost: 200, Seen: peak},
	}, err
}

// fill makes boards with cards on them.
func (d *dashboardProcess) fill(ctx context.Context) ([]*board, error) {
	agent, err := dash.NewClientWithResponses(d.URL, dash.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+d.key)
		return nil
	}))
	if err != nil {
		return nil, err
	}
	if in, err := agent.ConnectSessionWithResponse(ctx, dash.ConnectSessionJSONRequestBody{}); err != nil || in.JSON200 == nil {
		return nil, errors.Join(err, errors.New("the agent did not connect"))
	}
	var bs []*board
	for i := range boards {
		made, err := d.person.CreateBoardWithResponse(ctx, nil, dash.BoardCreate{Name: fmt.Sprintf("Board %d", i+1), Prefix: fmt.Sprintf("B%d", i+10)}, d.withCSRF)
		if err != nil {
			return nil, err
		}
		if made.JSON201 == nil {
			return nil, fmt.Errorf("make a board: %s", made.Body)
		}
		b := &board{ref: made.JSON201.Ref}
		for j := range cardsPer {
			made, err := agent.CreateIssueWithResponse(ctx, nil, dash.IssueCreate{
				Board: &b.ref, Title: fmt.Sprintf("Card %d", j+1), Status: new(dash.IssueStatusToDo),
				Description: new("The total ignores the voucher."), Acceptance: []dash.IssueTitle{"A voucher lowers the total."},
			})
			if err != nil {
				return nil, err
			}
			if made.JSON201 == nil {
				return nil, fmt.Errorf("make a card: %s", made.Body)
			}
			b.cards = append(b.cards, &card{board: b, id: made.JSON201.ID, version: made.JSON201.Version})
		}
		bs = append(bs, b)
	}
	return bs, nil
}

// deal gives the cards of all boards to n connections, each card to one.
func deal(bs []*board, n int) [][]*card {
	hands := make([][]*card, n)
	i := 0
	for j := range cardsPer {
		for _, b := range bs {
			hands[i%n] = append(hands[i%n], b.cards[j])
			i++
		}
	}
	return hands
}

// headers are what every call carries.
func (d *dashboardProcess) headers() string {
	return " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " + d.key + "\r\n"
}

// reading reads cards in turn.
type reading struct {
	requests [][]byte
	next     int
}

func (d *dashboardProcess) reading(bs []*board) (jobs []job) {
	for _, hand := range deal(bs, readers) {
		r := &reading{}
		for _, c := range hand {
			r.requests = append(r.requests, fmt.Appendf(nil, "GET /api/issues/%s?board=%d%s\r\n", c.id, c.board.ref, d.headers()))
		}
		jobs = append(jobs, r)
	}
	return jobs
}

func (r *reading) request([]byte) []byte { return r.requests[r.next] }

func (r *reading) done() { r.next = (r.next + 1) % len(r.requests) }

// writing changes cards in turn: moves each, then rewords each, and so on.
type writing struct {
	cards   []*card
	headers string
	next    int
	turn    int64
	body    []byte
}

func (d *dashboardProcess) writing(bs []*board) (jobs []job) {
	for _, hand := range deal(bs, writers) {
		jobs = append(jobs, &writing{cards: hand, headers: d.headers()})
	}
	return jobs
}

func (w *writing) request(buf []byte) []byte {
	c := w.cards[w.next]
	w.body = strconv.AppendInt(append(w.body[:0], `{"version":`...), c.version, 10)
	method, route := "POST", "transition"
	switch w.turn % 4 {
	case 0:
		w.body = append(w.body, `,"status":"In Progress"}`...)
	case 2:
		w.body = append(w.body, `,"status":"ToDo"}`...)
	default:
		method, route = "PATCH", "edit"
		w.body = append(strconv.AppendInt(append(w.body, `,"title":"Worded anew `...), w.turn, 10), `"}`...)
	}
	for _, part := range [...]string{method, " /api/issues/", c.id, "/", route, "?board="} {
		buf = append(buf, part...)
	}
	buf = append(strconv.AppendInt(buf, c.board.ref, 10), w.headers...)
	buf = strconv.AppendInt(append(buf, "Content-Type: application/json\r\nContent-Length: "...), int64(len(w.body)), 10)
	return append(append(buf, "\r\n\r\n"...), w.body...)
}

func (w *writing) done() {
	c := w.cards[w.next]
	c.version++
	c.events++
	if w.next++; w.next == len(w.cards) {
		w.next = 0
		w.turn++
	}
}

// finish says how many events each board will have had, and then makes the last of them. It answers how many that is
// for all boards.
func (d *dashboardProcess) finish(bs []*board) (events int64, err error) {
	w, err := dial(d.URL)
	if err != nil {
		return 0, err
	}
	defer w.conn.Close()
	for _, b := range bs {
		due := int64(1)
		for _, c := range b.cards {
			due += c.events
		}
		events += due
		b.due.Store(due)
		last := &writing{cards: b.cards[:1], headers: d.headers(), turn: 1<<40 + 1}
		if err := w.call(last.request(nil)); err != nil {
			return 0, fmt.Errorf("change a card: %w", err)
		}
	}
	return events, nil
}
