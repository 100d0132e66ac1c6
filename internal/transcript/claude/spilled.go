// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/fiftyarms/platform/internal/jsonscan"
	"github.com/fiftyarms/platform/internal/transcript"
)

const (
	maxSpill  = 16 << 20 // bytes of an output that stands in a file of its own
	maxNotice = 16 << 10 // of what says where it is
	spillMark = "<persisted-output>"
	savedTo   = "Full output saved to: "
)

// spilled is the file that a result was written to because it was too large. Only the session's own folder is looked
// into, whatever the text says.
func (r *reader) spilled(raw []byte) (span transcript.Span, ok bool) {
	if !begins(raw, spillMark) {
		return span, false
	}
	_, named, found := bytes.Cut(jsonscan.Decode(nil, raw[:min(len(raw), maxNotice)]), []byte(savedTo))
	if !found {
		return span, false
	}
	if end := bytes.IndexAny(named, "\n\"<"); end >= 0 {
		named = named[:end]
	}
	name := string(named[bytes.LastIndexAny(named, `/\`)+1:])
	if name == "" || name == "." || name == ".." {
		return span, false
	}
	dir := filepath.Join(folder(r.s.Path), "tool-results")
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSpill {
		return span, false
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || real != resolved(filepath.Dir(r.s.Path), filepath.Base(folder(r.s.Path))) {
		return span, false // the folder itself leads elsewhere
	}
	return r.b.File(filepath.Join(dir, name), info.Size()), true
}

// begins tells whether the text of a JSON string begins with some words, however they are escaped.
func begins(raw []byte, words string) bool {
	const longest = len(`\u0000`)
	return bytes.HasPrefix(jsonscan.Plain(raw[:min(len(raw), longest*len(words))]), []byte(words))
}

// resolved is where the session's folder of outputs is if no link leads out of the folder of sessions.
func resolved(dir, session string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return filepath.Join(real, session, "tool-results")
}
