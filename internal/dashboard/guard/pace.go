// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// callLimit bounds a call, the database's part included: one that stops answering is told as a failure. A call that
// carries bytes for as long as it takes (lasting) gets it anew whenever some move.
const callLimit = 40 * time.Second

// silenceLimit is how long a lasting call waits for the other side to send something, or to take it.
const silenceLimit = 30 * time.Second

// pieceMost is how many bytes one write hands to the connection: the other side has to take that many within the
// silence limit.
const pieceMost = 16 << 10

// lasting says whether a call may take as long as its bytes move: a file that comes or goes, or a stream.
func lasting(op dash.Operation) bool { return op.BodyLimit > 0 || op.Download || op.Stream }

// A pace keeps a lasting call alive while bytes move, past the time limits that the server sets for others.
type pace struct {
	conn    *http.ResponseController
	silence atomic.Int64 // in nanoseconds
	limit   *time.Timer  // ends the call
}

// newPace bounds a lasting call. The context that it answers ends when nothing has moved for too long; end frees it.
func newPace(ctx context.Context, w http.ResponseWriter, silence time.Duration) (paced context.Context, p *pace, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p = &pace{conn: http.NewResponseController(w)}
	p.silence.Store(int64(silence))
	p.limit = time.AfterFunc(callLimit, func() { cancel(context.DeadlineExceeded) })
	return ctx, p, func() { p.limit.Stop(); cancel(nil) }
}

// Deadlines that cannot be set belong to an answer that no connection is behind: nobody there is slow.

func (p *pace) beforeRead() {
	p.limit.Reset(callLimit)
	_ = p.conn.SetReadDeadline(p.deadline())
}

func (p *pace) beforeWrite() {
	p.limit.Reset(callLimit)
	_ = p.conn.SetWriteDeadline(p.deadline())
}

func (p *pace) deadline() time.Time { return time.Now().Add(time.Duration(p.silence.Load())) }

// hastened is how long a lasting call waits that is to end.
const hastened = time.Second

// hasten makes a call that writes end soon, though the other side may take nothing. Any goroutine may call it.
func (p *pace) hasten() {
	p.silence.Store(int64(hastened))
	_ = p.conn.SetWriteDeadline(p.deadline())
}

// write writes in pieces, each with its own time.
func (p *pace) write(to io.Writer, b []byte) (n int, err error) {
	for {
		piece := b[n:min(n+pieceMost, len(b))]
		p.beforeWrite()
		wrote, err := to.Write(piece)
		if n += wrote; err != nil || n == len(b) {
			return n, err
		}
	}
}

// upload is a body that its handler reads as it comes. Its errors are refusals, so that a handler which hands them on
// has said what was wrong: one that came in part is never at its end.
type upload struct {
	body io.ReadCloser // bounded
	pace *pace
	err  error
}

func (u *upload) Read(b []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	u.pace.beforeRead()
	n, err := u.body.Read(b)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		u.err = io.EOF
	default:
		u.err = cutShort(err)
	}
	return n, u.err
}

// Close closes the body.
func (u *upload) Close() error { return u.body.Close() }
