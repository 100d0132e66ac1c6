// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/signin"
)

const (
	topic = "key:self"
	// idle is how long a stream may be silent: four of the comments that a dashboard sends.
	idle = time.Minute
	// steady is how long a stream has lived that proves the line: a comment's distance.
	steady = 15 * time.Second

	// Streams are opened again after up to a half less than these.
	firstWait = 2 * time.Second
	longest   = 30 * time.Second
)

// Run follows the session's keys, one after the other, until ctx is done or no key can come any more. A refusal ends the
// watch of a key, not that of the next one.
func (w *Watch) Run(ctx context.Context) {
	for {
		tenure, err := w.o.Session.Await(ctx)
		if err != nil {
			return
		}
		follow, end := context.WithCancel(tenure)
		stop := context.AfterFunc(ctx, end)
		if !w.known(follow, tenure) {
			_ = w.Read(follow) // at once, whatever becomes of the stream, which tells what is wrong
		}
		w.follow(follow)
		<-follow.Done() // where a refusal ended it, until there is another key
		stop()
		end()
		if ctx.Err() != nil || !w.lost(ctx) {
			return
		}
	}
}

// lost hands on that there is no key any more. It tells whether one may come: a person who stops the session wants none,
// and then the tools stay as they are, to say so.
func (w *Watch) lost(ctx context.Context) bool {
	done, err := w.alone(ctx)
	if err != nil {
		return false
	}
	defer done()
	_, err = w.o.Session.Tenure()
	if _, signedOut := errors.AsType[*signin.SignedOut](err); signedOut {
		w.o.Apply(false, nil)
		return true
	}
	return err == nil
}

// follow keeps a stream open until ctx is done or the dashboard refuses it.
func (w *Watch) follow(ctx context.Context) {
	told := false
	for wait := firstWait; ; wait = min(2*wait, longest) {
		began := w.o.Now()
		err := w.listen(ctx)
		switch refusal, refused := errors.AsType[*client.Refusal](err); {
		case ctx.Err() != nil || halts(err):
			return
		case refused && !mayPass(err):
			w.o.Log.Warn("the dashboard refused the stream on which it tells of new permissions: plan_connect looks for them", "error", refusal)
			return
		case w.o.Now().Sub(began) >= steady:
			wait, told = firstWait, false
		}
		if err != nil && !told {
			told = true
			w.o.Log.Info("the dashboard's stream was cut: opening it again", "error", err)
		}
		select {
		case <-w.o.After(w.spread(wait)):
		case <-ctx.Done():
			return
		}
	}
}

// listen opens a stream, reads the permissions, which may have changed while there was none, and reads them again
// when the stream ends with word of a change. It returns when the stream has ended, without an error when it did so
// by its own word.
func (w *Watch) listen(ctx context.Context) error {
	req, err := dash.NewStreamEventsRequest(w.o.Base, &dash.StreamEventsParams{Topics: topic})
	if err != nil {
		return err
	}
	stream, resp, err := w.o.Session.Stream(ctx, client.Call{Request: req, Stall: idle})
	if err != nil {
		return err
	}
	if resp != nil {
		return resp.Refusal()
	}
	defer stream.Close()
	if err := w.Load(ctx); err != nil {
		return err
	}
	for {
		f, err := stream.Next()
		if err != nil {
			return err
		}
		if f.Event != "end" {
			continue
		}
		var said dash.StreamEnd
		if err := json.Unmarshal(f.Data, &said); err == nil && said.Reason == dash.EndReasonServerEnds {
			return nil
		}
		// Of the other reasons, a call with the key brings out what each means for the session.
		return w.Load(ctx)
	}
}

// spread is up to a half less than d, so that sessions that were cut off together do not come back together.
func (w *Watch) spread(d time.Duration) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(w.o.Random, b[:]); err != nil {
		return d
	}
	return d - time.Duration(binary.BigEndian.Uint64(b[:])%uint64(d/2))
}
