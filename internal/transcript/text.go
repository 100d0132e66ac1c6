// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// Time is when a log says that something was, in nanoseconds since 1970, or NoTime.
func Time(raw []byte) int64 {
	if t, ok := utcMillis(raw); ok {
		return t
	}
	t, err := time.Parse(time.RFC3339Nano, string(raw))
	if err != nil || t.Year() < 1678 || t.Year() > 2261 {
		return NoTime
	}
	return t.UnixNano()
}

// utcMillis reads what nearly all logs write, 2006-01-02T15:04:05.000Z, which time.Parse takes long for.
func utcMillis(b []byte) (int64, bool) {
	if len(b) != 24 || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' || b[19] != '.' || b[23] != 'Z' {
		return 0, false
	}
	digits := func(from, to int) (n int) {
		for _, c := range b[from:to] {
			if c < '0' || c > '9' {
				return -1 << 20
			}
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day := digits(0, 4), digits(5, 7), digits(8, 10)
	hour, minute, second, ms := digits(11, 13), digits(14, 16), digits(17, 19), digits(20, 23)
	if year < 1678 || year > 2261 || month < 1 || month > 12 || day < 1 || day > 28 && day > time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day() ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || ms < 0 {
		return 0, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, ms*1e6, time.UTC).UnixNano(), true
}

// An Input is what calls say of files and of sub-agents in the object that they are given.
type Input struct {
	Path       string
	Prompt     jsonscan.Range // for a sub-agent
	AgentType  string
	Describes  jsonscan.Range
	Patch      jsonscan.Range
	Old, New   jsonscan.Range
	HasPatch   bool
	HasReplace bool
}

// ScanInput walks a call's input. Of a list of edits it takes the first, as the trace does.
func ScanInput(s *jsonscan.Scanner) (in Input) {
	if s.Kind() != '{' {
		s.Skip()
		return in
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "file_path", "notebook_path":
			if r, ok := s.Text(); ok {
				in.Path = jsonscan.DecodeString(s.Bytes(r))
			}
		case "patch":
			in.Patch, in.HasPatch = s.Text()
		case "prompt":
			in.Prompt, _ = s.Text()
		case "description":
			in.Describes, _ = s.Text()
		case "subagent_type":
			if r, ok := s.Text(); ok {
				in.AgentType = jsonscan.DecodeString(s.Bytes(r))
			}
		case "edits":
			if s.Kind() != '[' {
				return
			}
			first := true
			s.Array(func() {
				if first && s.Kind() == '{' {
					s.Object(func(key []byte) { in.replace(s, key) })
				}
				first = false
			})
		default:
			in.replace(s, key)
		}
	})
	return in
}

func (in *Input) replace(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "old_string":
		in.Old, in.HasReplace = s.Text()
	case "new_string":
		in.New, _ = s.Text()
	}
}

// Names is a set of names, in lists with space between them.
func Names(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			set[name] = true
		}
	}
	return set
}

// patchLines begin the lines of a patch that name a file, in the language that models are taught for patches.
var patchLines = [][]byte{[]byte("*** Add File: "), []byte("*** Update File: "), []byte("*** Delete File: "), []byte("*** Move to: ")}

// PatchFiles are the files that a patch names.
func PatchFiles(patch []byte) (files []string) {
	for line := range bytes.Lines(patch) {
		for _, begins := range patchLines {
			if path, ok := bytes.CutPrefix(line, begins); ok {
				files = append(files, string(bytes.TrimSpace(path)))
			}
		}
	}
	return files
}
