// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/fiftyarms/platform/internal/jsonl"
	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/safefile"
)

// maxDamage is how many damaged places are told one by one.
const maxDamage = 100

// A Builder makes a session. Readers add what they find in the order of the log.
type Builder struct {
	s       *Session
	words   *inline
	calls   Numbers // by the hashes of their ids
	results list[result]
	unknown []string // calls of results that came before them
	seed    maphash.Seed
	costs   Numbers // answers by the hashes of their names
	agents  map[string]int32
	inner   *inner
	innerAt int32 // the source that it is

	stitches   *stitched
	stitchesAt int32
	open       int // files
	spans      []Span
	lines      *jsonl.Lines // nil while they are read
}

type result struct {
	step    int32
	call    int32 // its number; below 0 for one in Builder.unknown, counted from the end
	isError bool
}

// NewBuilder begins a session of an agent whose log is at path.
func NewBuilder(agent, path string) *Builder {
	b := &Builder{
		s:     &Session{Agent: agent, Path: path, ByModel: map[string]Tokens{}},
		words: &inline{}, seed: maphash.MakeSeed(), agents: map[string]int32{},
	}
	b.s.Skipped.UnknownTypes = map[string]int64{}
	b.AddSource(b.words, false)
	return b
}

// Session is the session as far as it is known, for what readers set themselves.
func (b *Builder) Session() *Session { return b.s }

// expect makes room for what is still to come if it is as what came of a part of a file. A list that is as long as it has
// to be is not copied, for which there would have to be room as well.
func (b *Builder) expect(steps, calls int, part float64) {
	room := func(n, before, free int) int {
		if more := int(float64(n-before)*(1/part-1)*1.02) + 256; more > free && free < (n-before)/2 {
			return more
		}
		return 0
	}
	s := b.s
	if more := room(len(s.Steps), steps, cap(s.Steps)-len(s.Steps)); more > 0 {
		s.Steps = slices.Grow(s.Steps, more)
	}
	if more := room(len(s.Calls), calls, cap(s.Calls)-len(s.Calls)); more > 0 {
		s.Calls = slices.Grow(s.Calls, more)
	}
}

// AddSource adds a source. Those that are to be closed are, with the session.
func (b *Builder) AddSource(r io.ReaderAt, plain bool) int32 {
	if c, ok := r.(io.Closer); ok {
		b.s.closers = append(b.s.closers, c)
	}
	b.s.sources = append(b.s.sources, Source{r, plain})
	return int32(len(b.s.sources) - 1)
}

// File is the text of a whole file, at most so many bytes of it.
func (b *Builder) File(path string, size int64) Span {
	return Span{Source: b.AddSource(lazily(path), true), Len: int32(min(size, math.MaxInt32))}
}

// Words is text that stands in no file.
func (b *Builder) Words(text string) Span { return b.Raw(jsonscan.AppendText(nil, []byte(text))) }

// Raw is JSON that stands in no file, or not in one piece. It is held: of what a log may have much of, Inner is the way.
func (b *Builder) Raw(json []byte) Span {
	return Span{Source: 0, Off: b.words.add(json), Len: int32(len(json))}
}

// Step adds a prompt, message or thought. record is what Finish may drop it by.
func (b *Builder) Step(kind Kind, at int64, agent, record int32, text []Span, images int32) {
	b.s.Steps = append(b.s.Steps, Step{Kind: kind, At: at, Agent: agent, record: record, Text: b.keep(text), Images: pictures(images), Call: None})
}

// keep is a copy of spans that stands among those of other steps: most have one, for which an allocation is much.
func (b *Builder) keep(text []Span) []Span {
	if len(text) == 0 {
		return nil
	}
	const most = 1024
	if cap(b.spans)-len(b.spans) < len(text) {
		b.spans = make([]Span, 0, max(min(2*cap(b.spans), most), len(text), 8))
	}
	from := len(b.spans)
	b.spans = append(b.spans, text...)
	return b.spans[from:len(b.spans):len(b.spans)]
}

// pictures is how many there are, as far as anybody counts.
func pictures(n int32) uint16 { return uint16(min(max(n, 0), math.MaxUint16)) }

// Call adds a use of a tool, and tells whether it is new: a log that repeats one has it once.
func (b *Builder) Call(at int64, agent, record int32, call Call) bool {
	n := int32(len(b.s.Calls))
	if call.ID != "" {
		hash, seen := b.call(call.ID)
		if seen {
			return false
		}
		b.calls.Set(hash, n)
	}
	b.s.Calls = append(b.s.Calls, call)
	b.s.Steps = append(b.s.Steps, Step{Kind: ToolCall, At: at, Agent: agent, record: record, Call: n})
	return true
}

// Called is the call of an id, nil if there is none so far. It holds until the next call is added.
func (b *Builder) Called(id string) *Call {
	if n := b.numberOf(id); n != None {
		return &b.s.Calls[n]
	}
	return nil
}

// call is the hash that the call of an id has or, if it is not known, may be given: two ids of one hash are two calls, and
// the second is looked for under another.
func (b *Builder) call(id string) (hash uint64, known bool) {
	for h := maphash.String(b.seed, id) | 1; ; h += 2 {
		n, taken := b.calls.Get(h)
		if !taken || b.s.Calls[n].ID == id {
			return h, taken
		}
	}
}

// numberOf is the number of the call of an id, or None.
func (b *Builder) numberOf(id string) int32 {
	if id == "" {
		return None
	}
	hash, known := b.call(id)
	if !known {
		return None
	}
	n, _ := b.calls.Get(hash)
	return n
}

// Result adds what came of the call of an id. The call may come later in the log. Of several results the last is the
// call's output.
func (b *Builder) Result(at int64, agent, record int32, call string, text []Span, images int32, isError bool) {
	kind := ToolResult
	if isError {
		kind = ErrorRecovery
	}
	n := b.numberOf(call)
	if n == None {
		b.unknown = append(b.unknown, call)
		n = -int32(len(b.unknown))
	}
	b.results.add(result{step: int32(len(b.s.Steps)), call: n, isError: isError})
	b.s.Steps = append(b.s.Steps, Step{Kind: kind, At: at, Agent: agent, record: record, Text: b.keep(text), Images: pictures(images), Call: None})
}

// Agent is the number of the sub-agent of an id, which is made if it is new.
func (b *Builder) Agent(id string) int32 {
	if n, ok := b.agents[id]; ok {
		return n
	}
	n := int32(len(b.s.Agents))
	b.agents[id] = n
	b.s.Agents = append(b.s.Agents, Agent{ID: id})
	return n
}

// Damaged tells of a place that could not be read whole.
func (b *Builder) Damaged(d Damage) {
	b.s.Skipped.Malformed++
	b.s.Skipped.Recovered += int64(d.Recovered)
	if len(b.s.Damage) < maxDamage {
		b.s.Damage = append(b.s.Damage, d)
	}
}

// Unknown counts a record of a type that the reader has never seen. Of types beyond a bound only the number is kept: a
// file that is no log could have as many as lines.
func (b *Builder) Unknown(kind string) {
	b.s.Skipped.Unknown++
	const most, longest = 100, 80
	if _, known := b.s.Skipped.UnknownTypes[kind]; known || len(b.s.Skipped.UnknownTypes) < most && len(kind) <= longest {
		b.s.Skipped.UnknownTypes[kind]++
	}
}

// maxOpen is how many of a session's files stay open. It may have more than a process may.
const maxOpen = 32

// Opened is a file that belongs to a session, with its size counted. Either it is closed with the session, or it is
// opened anew where its text is read, and done closes it.
func (b *Builder) Opened(path string) (f *os.File, source int32, done func() error, err error) {
	f, info, err := safefile.Open(path)
	if err != nil {
		return nil, 0, nil, err
	}
	b.s.Bytes += info.Size()
	if b.open < maxOpen {
		b.open++
		return f, b.AddSource(newSteady(path, f, info, true), false), func() error { return nil }, nil
	}
	return f, b.AddSource(newSteady(path, f, info, false), false), f.Close, nil
}

// Unread tells of a file beside the session's own that could not be read. The rest of the session is no worse for it.
func (b *Builder) Unread(path string, err error) {
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == path {
		err = at.Err
	}
	b.Damaged(Damage{File: path, Reason: err.Error()})
}
