// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// What the client writes in the person's place are elements of these names, alone. A text that begins with one and goes
// on is a person's who quotes it.
var elements = []struct {
	name string
	long bool // it holds any text, so that it ends at the last of its ends
}{
	{"environment_context", false}, {"user_instructions", true}, {"INSTRUCTIONS", true}, {"permissions instructions", true},
	{"collaboration_mode", true}, {"turn_aborted", false}, {"user_shell_command", true}, {"user_action", true}, {"skill", true},
	{"skills_instructions", true}, {"apps_instructions", true}, {"plugins_instructions", true}, {"personality_spec", true},
	{"model_switch", true}, {"subagent_notification", true}, {"realtime_conversation", true},
}

var (
	agentsFile = []byte("# AGENTS.md instructions")
	summarized = []byte("Another language model started to solve this problem")
	editor     = []byte("# Context from my IDE setup:")
	ideContext = []byte("<ide_context>")
	request    = []byte("## My request for Codex:")
	picture    = []byte("<image")
	pictureEnd = []byte("</image>")
)

// typedIn finds what a person typed in a text, as it stands in JSON. Nothing is a range of no length.
func typedIn(raw []byte) text {
	at := jsonscan.Blank(raw, 0)
	rest := raw[at:]
	switch {
	case bytes.HasPrefix(rest, summarized):
		return text{}
	case bytes.HasPrefix(rest, editor), bytes.HasPrefix(rest, ideContext):
		if i := bytes.Index(rest, request); i >= 0 {
			return text{From: jsonscan.Blank(raw, at+i+len(request)), To: len(raw)}
		}
	case bytes.HasPrefix(rest, picture) && bytes.IndexByte(rest, '>') == len(bytes.TrimSpace(rest))-1, bytes.Equal(rest, pictureEnd):
		return text{} // it stands before or behind an image
	}
	from := at
	for at < len(raw) {
		if bytes.HasPrefix(raw[at:], agentsFile) {
			if i := bytes.Index(raw[at:], []byte("<INSTRUCTIONS>")); i >= 0 {
				at += i
			}
		}
		end := element(raw, at)
		if end == 0 {
			return text{From: from, To: len(raw)}
		}
		at = jsonscan.Blank(raw, end)
	}
	return text{}
}

// element is where the element ends that begins at a place, 0 if none does.
func element(raw []byte, at int) int {
	if at >= len(raw) || raw[at] != '<' {
		return 0
	}
	for _, e := range elements {
		if !bytes.HasPrefix(raw[at+1:], []byte(e.name+">")) {
			continue
		}
		end := []byte("</" + e.name + ">")
		i := bytes.Index(raw[at:], end)
		if e.long {
			i = bytes.LastIndex(raw[at:], end)
		}
		if i < 0 {
			return 0
		}
		return at + i + len(end)
	}
	return 0
}

// prompt takes what stands in the person's place; the model's copy of it, or the terminal's.
func (r *reader) prompt(parts []text, images int32, of copyOf) {
	var spans []transcript.Span
	for _, part := range parts {
		raw := r.bytes(part)
		plain := jsonscan.Plain(raw)
		t := typedIn(plain)
		if len(plain) != len(raw) {
			t.From, t.To = jsonscan.Place(raw, t.From), jsonscan.Place(raw, t.To)
		}
		if t.Len() > 0 {
			spans = append(spans, r.span(text{From: part.From + t.From, To: part.From + t.To}))
		} else if r.s.Cwd == "" {
			r.s.Cwd = within(plain, "<cwd>", "</cwd>") // the first versions have it nowhere else
		}
	}
	if len(spans) == 0 && images == 0 {
		return
	}
	r.copies.clear()
	r.turns.begin(of)
	r.b.Step(transcript.UserPrompt, r.at, transcript.Main, r.turns.record(of == model), spans, images)
}

func within(raw []byte, from, to string) string {
	_, after, found := bytes.Cut(raw, []byte(from))
	inner, _, ends := bytes.Cut(after, []byte(to))
	if !found || !ends {
		return ""
	}
	return jsonscan.DecodeString(inner)
}

// A copyOf says which of the two copies of a thing a record has.
type copyOf uint8

const (
	model copyOf = iota
	terminal
)

// turns are the person's. Both copies of a prompt begin one, so each is counted by itself: which of them counts is known
// at the end. The terminal's do, if there is one: in the model's the client may have put what nobody typed.
type turns struct {
	live  [2][]int32
	last  [2]int32
	gone  [2]map[int32]bool
	marks []mark
}

// A mark is which turns a step is in.
type mark struct {
	in     [2]int32
	prompt bool // it is the model's copy of a prompt
}

func (t *turns) begin(of copyOf) {
	t.last[of]++
	t.live[of] = append(t.live[of], t.last[of])
}

// record is by what a step of now is told from those of turns that were left.
func (t *turns) record(prompt bool) int32 {
	m := mark{prompt: prompt}
	for of, live := range t.live {
		if len(live) > 0 {
			m.in[of] = live[len(live)-1]
		}
	}
	if n := len(t.marks); n == 0 || t.marks[n-1] != m {
		t.marks = append(t.marks, m)
	}
	return int32(len(t.marks) - 1)
}

// leave takes back so many turns.
func (t *turns) leave(n int64) {
	for of := range t.live {
		if t.gone[of] == nil {
			t.gone[of] = map[int32]bool{}
		}
		keep := max(int64(len(t.live[of]))-max(n, 0), 0)
		for _, turn := range t.live[of][keep:] {
			t.gone[of][turn] = true
		}
		t.live[of] = t.live[of][:keep]
	}
}

// abandoned tells whether a step is of a turn that was left, and whether it is the copy of a prompt.
func (t *turns) abandoned(record int32) (gone, second bool) {
	of, m := model, t.marks[record]
	if t.last[terminal] > 0 {
		if m.prompt {
			return false, true
		}
		of = terminal
	}
	return t.gone[of][m.in[of]], false
}
