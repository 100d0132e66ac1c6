// SPDX-License-Identifier: Apache-2.0

package codex

import (
	"bytes"
	"strconv"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// refusals are how the client begins what it says itself in the place of a tool's output.
var refusals = map[string]string{
	"apply_patch":  "apply_patch verification failed",
	"exec_command": "exec_command failed",
}

// longest is up to which size an output in an envelope of its own is taken out of it. Clients cut outputs far below.
const longest = 64 << 10

// output is what a result says, and whether the client's own note of it says that the call failed: an exit code in the
// JSON around the output or in the lines above it. What the output itself says means nothing.
func (r *reader) output(parts []text, tool string) (spans []transcript.Span, failed bool) {
	for i, part := range parts {
		raw := r.bytes(part)
		if i == 0 {
			if said, exit, ok := r.noted(raw); ok {
				spans = append(spans, r.b.Inner(r.span(part), said))
				failed = exit != 0
				continue
			}
			failed = r.exited(raw) || refused(raw, tool)
		}
		spans = append(spans, r.span(part))
	}
	return spans, failed
}

func refused(raw []byte, tool string) bool {
	says := refusals[tool]
	return says != "" && bytes.HasPrefix(raw, []byte(says))
}

// noted reads {"output", "metadata": {"exit_code"}}: where the text of the output stands in what raw stands for, and the
// code.
func (r *reader) noted(raw []byte) (output text, exit int64, ok bool) {
	if len(raw) > longest || !bytes.HasPrefix(raw, []byte("{")) || !bytes.Contains(raw, []byte("exit_code")) {
		return text{}, 0, false
	}
	r.buf = jsonscan.Decode(r.buf[:0], raw)
	s := &r.inner
	s.Reset(r.buf)
	said, coded := false, false
	s.Object(func(key []byte) {
		switch string(key) {
		case "output":
			output, said = s.Text()
		case "metadata":
			s.Members(func(key []byte) {
				if string(key) == "exit_code" && s.Kind() == '0' {
					exit, coded = s.Int(), true
				}
			})
		}
	})
	return output, exit, s.End() && said && coded
}

// header are the lines that the client writes above a command's output.
var header = [][]byte{
	[]byte("Chunk ID: "), []byte("Wall time: "), []byte("Process running with session ID "), []byte("Original token count: "),
	[]byte("Total output lines: "), []byte("Warning: "),
}

// exited tells whether the lines above a command's output have an exit code other than 0.
func (r *reader) exited(raw []byte) (failed bool) {
	r.buf = jsonscan.Decode(r.buf[:0], raw[:min(len(raw), 1<<10)])
lines:
	for line := range bytes.Lines(r.buf) {
		line = bytes.TrimRight(line, "\r\n")
		for _, code := range []string{"Exit code: ", "Process exited with code "} {
			if after, ok := bytes.CutPrefix(line, []byte(code)); ok {
				n, err := strconv.ParseInt(string(after), 10, 64)
				if err != nil {
					return false
				}
				failed = n != 0
				continue lines
			}
		}
		if bytes.Equal(line, []byte("Output:")) {
			return failed
		}
		for _, begins := range header {
			if bytes.HasPrefix(line, begins) {
				continue lines
			}
		}
		return false
	}
	return false
}

var (
	beginPatch = []byte("*** Begin Patch")
	endPatch   = []byte("*** End Patch")
)

// patched notes what a call's patch changes. The patch is the whole input, or a text in it, or in a command there.
func (r *reader) patched(it *item, call *transcript.Call) {
	raw := r.bytes(it.input)
	if !bytes.Contains(raw, beginPatch) {
		return
	}
	if string(it.kind) == "custom_tool_call" && it.encoded {
		if call.Name == "apply_patch" {
			at := patchIn(raw)
			r.changes(call, raw[at.From:at.To], r.span(text{From: it.input.From + at.From, To: it.input.From + at.To}))
		}
		return
	}
	r.inner.Reset(r.decoded(it.input, it.encoded))
	command := call.Name == "apply_patch"
	found := r.search(&command)
	switch {
	case !r.inner.End() || found.Len() == 0:
	case it.encoded:
		r.changes(call, r.inner.Bytes(found), r.b.Inner(r.span(it.input), found))
	default:
		r.changes(call, r.inner.Bytes(found), r.span(text{From: it.input.From + found.From, To: it.input.From + found.To}))
	}
}

// search walks a value for a patch that is handed to apply_patch, which command tells of.
func (r *reader) search(command *bool) (found text) {
	s := &r.inner
	put := func(patch text) {
		if found.Len() == 0 {
			found = patch
		}
	}
	switch s.Kind() {
	case '"':
		whole := s.String()
		raw := s.Bytes(whole)
		i := bytes.Index(raw, beginPatch)
		before := raw[:max(i, 0)]
		if i < 0 {
			before = raw
		}
		*command = *command || bytes.Contains(before, []byte("apply_patch")) || bytes.Contains(before, []byte("applypatch"))
		if i >= 0 && *command {
			at := patchIn(raw)
			put(text{From: whole.From + at.From, To: whole.From + at.To})
		}
	case '{':
		s.Object(func([]byte) { put(r.search(command)) })
	case '[':
		s.Array(func() { put(r.search(command)) })
	default:
		s.Skip()
	}
	return found
}

// patchIn is where the patch stands in a text that has one, or its beginning.
func patchIn(raw []byte) text {
	from := bytes.Index(raw, beginPatch)
	if from < 0 {
		return text{}
	}
	if n := bytes.Index(raw[from:], endPatch); n >= 0 {
		return text{From: from, To: from + n + len(endPatch)}
	}
	return text{From: from, To: len(raw)}
}

func (r *reader) changes(call *transcript.Call, patch []byte, at transcript.Span) {
	r.patch = jsonscan.Decode(r.patch[:0], patch)
	call.Files = append(call.Files, transcript.PatchFiles(r.patch)...)
	if len(call.Files) > 0 {
		call.Diff = &transcript.Diff{Path: call.Files[0], Patch: at, Has: true}
	}
}
