// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"time"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// Tokens as the log counts them: input includes what was cached and what was written to the cache, output what was
// thought, which is told apart as well.
type tokens struct {
	input, cached, written, output int64
	has                            bool
}

func (p *item) scanUsage(s *jsonscan.Scanner) {
	s.Members(func(key []byte) {
		switch string(key) {
		case "total_token_usage":
			p.total.scan(s)
		case "last_token_usage":
			p.last.scan(s)
		}
	})
}

func (t *tokens) scan(s *jsonscan.Scanner) {
	if s.Kind() != '{' {
		return
	}
	*t = tokens{has: true}
	s.Object(func(key []byte) {
		switch string(key) {
		case "input_tokens":
			t.input = s.Int()
		case "cached_input_tokens":
			t.cached = s.Int()
		case "cache_write_input_tokens":
			t.written = s.Int()
		case "output_tokens":
			t.output = s.Int()
		}
	})
}

// since is what was spent since an earlier total, and whether none of it is less.
func (t tokens) since(o tokens) (tokens, bool) {
	d := tokens{t.input - o.input, t.cached - o.cached, t.written - o.written, t.output - o.output, true}
	return d, min(d.input, d.cached, d.written, d.output) >= 0
}

// A usage follows what the session has cost so far.
type usage struct {
	model     string
	total     tokens
	last      tokens
	replay    bool  // what is read is the history of another session
	past      bool  // that is over
	begun     int64 // when the session's header was written, 0 before
	copied    int64 // when the last record of the history was written
	inherited bool  // the session's model is that of its history
}

// burst is how long a client may rest while it writes the history that a fork begins with, of whatever length that is.
// The person's next prompt and the model's first answer take longer.
const burst = int64(time.Second)

// replayed says that the session begins with the history of another, if it is one that may.
func (u *usage) replayed(is bool) {
	u.replay = u.replay || is && !u.past && u.begun != transcript.NoTime
}

// pass notes when a record was written: the history of another session has the times of its records, or that of the
// copy.
func (u *usage) pass(at int64) {
	switch {
	case u.past || u.begun == 0 || u.begun == transcript.NoTime || at == transcript.NoTime:
	case at > max(u.begun, u.copied)+burst:
		u.replay, u.past = false, true
	case u.replay:
		u.copied = max(u.copied, at)
	}
}

// spent is what the record of a count adds. The log repeats counts, and a count may be lost with its line, so that the
// totals say more than the single counts; a total that begins anew says less.
func (u *usage) spent(total, last tokens) (tokens, bool) {
	before, repeated := u.total, !total.has && last == u.last
	u.last = last
	if total.has {
		u.total = total
	}
	switch {
	case u.replay || repeated || !total.has && !last.has:
		return tokens{}, false
	case !total.has:
		return last, true
	case total == before:
		return tokens{}, false
	}
	if before.has {
		if d, ok := total.since(before); ok {
			return d, true
		}
	}
	if last.has {
		return last, true
	}
	return total, true
}

// counted takes a count of tokens.
func (r *reader) counted(it *item) {
	t, ok := r.usage.spent(it.total, it.last)
	if !ok {
		return
	}
	r.b.Cost(nil, r.usage.model, transcript.Main, transcript.Tokens{
		Input:         max(t.input-t.cached-t.written, 0),
		Output:        t.output,
		CacheRead:     t.cached,
		CacheCreation: t.written,
	})
}
