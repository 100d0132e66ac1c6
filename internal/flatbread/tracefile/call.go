// SPDX-License-Identifier: Apache-2.0

package tracefile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// readInput is a call's input as JSON, whole. It holds until the next place is read.
func (w *writer) readInput(call *transcript.Call) []byte {
	raw := w.read(call.Input, int(call.Input.Len))
	if len(raw) == 0 {
		return nil
	}
	input := raw
	if call.Encoded {
		w.input = jsonscan.Decode(slices.Grow(w.input[:0], len(raw)), raw)
		if !isObject(w.input) {
			w.input = append(append(append(w.input[:0], `{"input":"`...), raw...), `"}`...) // what it is, as text
		}
		input = w.input
	}
	if !jsontext.Value(input).IsValid() { // a name that is there twice, or text that is none
		return plainer(input)
	}
	return input
}

func isObject(data []byte) bool {
	var s jsonscan.Scanner
	s.Reset(data)
	if s.Kind() != '{' {
		return false
	}
	s.Skip()
	return s.End()
}

// plainer is JSON as every reader takes it, with the values that most readers see: of names that are there twice the last.
func plainer(data []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return nil // what a Scanner took is JSON
	}
	plain, err := marshal(value)
	if err != nil {
		return nil
	}
	return plain
}

// labels are what a call's label is made of, the first that the input has.
var labels = []string{"command", "file_path", "pattern", "url", "description", "prompt", "query", "notebook_path", "path", "cmd", "input"}

// appendLabel appends a call in one line: its tool and what it was given.
func appendLabel(b []byte, name string, input []byte) []byte {
	best := len(labels)
	var value jsonscan.Range
	if len(input) > 0 {
		var s jsonscan.Scanner
		s.Reset(input)
		s.Object(func(key []byte) {
			for i, label := range labels[:best] {
				if string(key) != label {
					continue
				}
				switch s.Kind() {
				case '"':
					if at := s.String(); at.Len() > 0 {
						best, value = i, at
					}
				case '[': // a command as a list of words
					if at := s.Value(); at.Len() > 0 {
						best, value = i, at
					}
				}
				return
			}
		})
	}
	b = append(b, '"')
	n, gap, full := 0, false, false
	put := func(r rune) bool {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = n > 0
			return !full
		}
		if gap && n < MaxContent {
			b = append(b, ' ')
			n++
			gap = false
		}
		if n == MaxContent {
			if !full {
				b = append(b, Truncated...)
			}
			full = true
			return false
		}
		b = jsonscan.AppendText(b, utf8.AppendRune(nil, r))
		n++
		return true
	}
	for _, r := range name {
		if !put(r) {
			break
		}
	}
	if best < len(labels) {
		if n > 0 {
			put(':')
			gap = true
		}
		if input[value.From] == '[' {
			words(input[value.From:value.To], put)
		} else {
			spell(input[value.From:value.To], put)
		}
	}
	return append(b, '"')
}

func spell(raw []byte, put func(rune) bool) bool {
	for len(raw) > 0 {
		r, n := jsonscan.Next(raw)
		if !put(r) {
			return false
		}
		raw = raw[n:]
	}
	return true
}

func words(list []byte, put func(rune) bool) {
	var s jsonscan.Scanner
	s.Reset(list)
	on := true
	s.Array(func() {
		if s.Kind() != '"' {
			return
		}
		at := s.String()
		on = on && spell(s.Bytes(at), put) && put(' ')
	})
}

// shortened appends a call's input with its long strings cut.
func (w *writer) shortened(b, input []byte) []byte {
	if len(input) <= MaxInput {
		return appendValid(b, input)
	}
	var s jsonscan.Scanner
	s.Reset(input)
	done := 0
	walk(&s, func(at jsonscan.Range) {
		if at.Len() <= MaxInput {
			return
		}
		cut := cutText(input[at.From:at.To], MaxInput)
		if at.From+cut.end == at.To {
			return
		}
		b = w.valid(b, input[done:at.From+cut.end])
		b = append(b, Truncated...)
		done = at.To
	})
	return w.valid(b, input[done:])
}

// walk calls each for every string in a value that is no key.
func walk(s *jsonscan.Scanner, each func(jsonscan.Range)) {
	switch s.Kind() {
	case '"':
		each(s.String())
	case '{':
		s.Object(func([]byte) { walk(s, each) })
	case '[':
		s.Array(func() { walk(s, each) })
	default:
		s.Skip()
	}
}

// diff appends what the log says of a change that succeeded.
func (w *writer) diff(b []byte, call *transcript.Call) []byte {
	d := call.Diff
	if d == nil || call.IsError || d.Path == "" || d.Hunks.Len == 0 && !d.Has {
		return b
	}
	b = append(b, `,"diff":{"filePath":`...)
	b = appendString(b, d.Path)
	b = append(b, `,"patch":`...)
	switch {
	case d.Patch.Len > 0:
		b = w.text(b, []transcript.Span{d.Patch}, MaxContent)
	case d.Hunks.Len > 0:
		b = w.lines(b, w.hunks(d.Hunks))
	default:
		patch := signed(nil, '-', w.decoded(d.Old))
		patch = signed(patch, '+', w.decoded(d.New))
		b = w.lines(b, patch)
	}
	return append(b, '}')
}

// lines appends a patch that was put together.
func (w *writer) lines(b, patch []byte) []byte {
	raw := jsonscan.AppendText(nil, patch)
	cut := cutText(raw, MaxContent)
	b = append(append(b, '"'), raw[:cut.end]...)
	if cut.end < len(raw) {
		b = append(b, Truncated...)
	}
	return append(b, '"')
}

// decoded is a text of which a patch is made, as much of it as a patch may show.
func (w *writer) decoded(at transcript.Span) []byte {
	raw := w.read(at, (MaxContent+1)*12)
	return jsonscan.Decode(make([]byte, 0, len(raw)), raw)
}

// signed appends lines with a sign before each.
func signed(patch []byte, sign byte, text []byte) []byte {
	for len(text) > 0 {
		line := text
		for i, c := range text {
			if c == '\n' {
				line = text[:i]
				break
			}
		}
		patch = append(append(append(patch, sign), line...), '\n')
		text = text[min(len(line)+1, len(text)):]
	}
	return patch
}

// enough is how many bytes of a patch are put together: more than it shows.
const enough = (MaxContent + 1) * utf8.UTFMax

// hunks is a structured patch as a unified one, as much of it as is shown.
func (w *writer) hunks(at transcript.Span) (patch []byte) {
	var s jsonscan.Scanner
	s.Reset(w.read(at, int(at.Len)))
	s.Array(func() {
		if s.Kind() != '{' || len(patch) > enough {
			return
		}
		var n [4]int64
		var lines []byte
		s.Object(func(key []byte) {
			switch string(key) {
			case "oldStart":
				n[0] = s.Int()
			case "oldLines":
				n[1] = s.Int()
			case "newStart":
				n[2] = s.Int()
			case "newLines":
				n[3] = s.Int()
			case "lines":
				if s.Kind() != '[' {
					return
				}
				s.Array(func() {
					if at, ok := s.Text(); ok && len(lines) <= enough {
						line := s.Bytes(at)
						lines = append(jsonscan.Decode(lines, line[:cutText(line, MaxContent+1).end]), '\n')
					}
				})
			}
		})
		patch = append(patch, "@@ -"...)
		patch = append(strconv.AppendInt(patch, n[0], 10), ',')
		patch = append(strconv.AppendInt(patch, n[1], 10), " +"...)
		patch = append(strconv.AppendInt(patch, n[2], 10), ',')
		patch = append(strconv.AppendInt(patch, n[3], 10), " @@\n"...)
		patch = append(patch, lines...)
	})
	return patch
}
