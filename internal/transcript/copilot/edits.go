// SPDX-License-Identifier: Apache-2.0

package copilot

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

// editors are the tools that change the file that they name.
var editors = transcript.Names("edit create write insert str_replace str_replace_editor edit_file create_file write_file apply_patch")

// edits notes what a call changes if it succeeds.
func (r *reader) edits(call *transcript.Call, a arguments) {
	if !editors[call.Name] {
		return
	}
	raw := r.bytes(a.at)
	if call.Name == "apply_patch" && a.encoded && bytes.HasPrefix(raw[jsonscan.Blank(raw, 0):], beginPatch) {
		r.patched(call, raw, call.Input)
		return
	}
	if a.encoded {
		r.buf = jsonscan.Decode(r.buf[:0], raw)
		raw = r.buf
	}
	in := scanEdit(&r.inner, raw)
	if r.inner.Err() != nil {
		return
	}
	place := func(at text) transcript.Span {
		if !a.encoded {
			return r.span(text{From: a.at.From + at.From, To: a.at.From + at.To})
		}
		return r.b.Inner(r.span(a.at), at)
	}
	switch {
	case call.Name == "apply_patch":
		r.patched(call, raw[in.patch.From:in.patch.To], place(in.patch))
	case in.path == "" || in.command == "view":
	default:
		call.Files = []string{in.path}
		if in.replaces {
			call.Diff = &transcript.Diff{Path: in.path, Old: place(in.old), New: place(in.new), Has: true}
		}
	}
}

// An edit is what the input of an editor says.
type edit struct {
	path, command   string
	patch, old, new text
	replaces        bool
}

func scanEdit(s *jsonscan.Scanner, raw []byte) (in edit) {
	s.Reset(raw)
	s.Members(func(key []byte) {
		switch string(key) {
		case "path", "filePath", "file_path":
			if at := s.Word(); len(at) > 0 {
				in.path = jsonscan.DecodeString(at)
			}
		case "command":
			in.command = string(s.Word())
		case "patch", "input":
			in.patch, _ = s.Text()
		case "old_str", "old_string", "oldString":
			in.old, in.replaces = s.Text()
		case "new_str", "new_string", "newString":
			in.new, _ = s.Text()
		}
	})
	s.End()
	return in
}

var beginPatch = []byte("*** Begin Patch")

func (r *reader) patched(call *transcript.Call, patch []byte, at transcript.Span) {
	call.Files = append(call.Files, transcript.PatchFiles(jsonscan.Decode(nil, patch))...)
	if len(call.Files) > 0 {
		call.Diff = &transcript.Diff{Path: call.Files[0], Patch: at, Has: true}
	}
}
