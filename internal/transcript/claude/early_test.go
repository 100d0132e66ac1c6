// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"path/filepath"
	"testing"
)

// TestAResultBeforeItsCall: what it says of the edit is not lost.
func TestAResultBeforeItsCall(t *testing.T) {
	const call = `{"type":"assistant","uuid":"2","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/a","old_string":"a","new_string":"b"}}]}}` + "\n"
	result := func(use string) string {
		return `{"type":"user","uuid":"3","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"toolUseResult":` + use + "}\n"
	}
	for _, c := range []struct {
		use         string
		files       int
		hunks, diff bool
	}{
		{`{"structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a","+b"]}]}`, 1, true, true},
		{`{"staged":true}`, 0, false, true},
		{`"Error: no"`, 0, false, false},
		{`{"structuredPatch":[]}`, 1, false, true},
	} {
		for _, text := range []string{call + result(c.use), result(c.use) + call} {
			s := open(t, filepath.Join(write(t, map[string]string{"s.jsonl": text}), "s.jsonl"))
			diff := s.Calls[0].Diff
			if len(s.FilesChanged) != c.files || (diff != nil) != c.diff || diff != nil && (diff.Hunks.Len > 0) != c.hunks {
				t.Errorf("%s: %d files, %+v", text, len(s.FilesChanged), diff)
			}
		}
	}
}
