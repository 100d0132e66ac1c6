// SPDX-License-Identifier: Apache-2.0

package gemini_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/transcript"
	"github.com/fiftyarms/platform/internal/transcript/gemini"
)

// TestLongDocuments: a document longer than what is read at once has all its messages, wherever the longest stands.
func TestLongDocuments(t *testing.T) {
	const head = "{\n  \"sessionId\": \"d\",\n  \"projectHash\": \"p\",\n  \"startTime\": \"x\",\n  \"messages\": [\n"
	const tail = "\n  ],\n  \"summary\": \"told behind\"\n}\n"
	var messages []string
	for i := range 3000 {
		messages = append(messages, user(fmt.Sprint(i), 1, fmt.Sprint(i, strings.Repeat(" word", 200))))
	}
	huge := user("huge", 1, "huge"+strings.Repeat("x", 3<<20))
	put := func(at int, message string) string {
		all := append(append(append([]string(nil), messages[:at]...), message), messages[at:]...)
		return strings.Join(all, ",\n")
	}
	for name, c := range map[string]struct {
		body, tail       string
		prompts, damaged int
	}{
		"plain":                 {strings.Join(messages, ",\n"), tail, 3000, 0},
		"on one line each":      {strings.Join(messages, "\n,"), "]" + tail[4:], 3000, 0},
		"a huge one first":      {put(0, huge), tail, 3001, 0},
		"a huge one in between": {put(1700, huge), tail, 3001, 0},
		"a huge one last":       {put(3000, huge), tail, 3001, 0},
		"what is no message":    {put(1500, `7, "x", null, []`), tail, 3000, 0},
		"cut":                   {strings.Join(messages, ",\n"), "", 3000, 1},
		"cut in a message":      {strings.Join(messages, ",\n") + `,{"id":"cut","ty`, "", 3000, 1},
		"a comma is missing":    {strings.Join(messages[:2500], ",\n") + strings.Join(messages[2500:], ",\n"), tail, 3000, 1},
		"a message is damaged":  {put(2000, `{"id":"bad","type":"user","content":"\x"}`), tail, 3000, 1},
		"something behind it":   {strings.Join(messages, ",\n"), tail + "more", 3000, 1},
	} {
		for _, mark := range []string{"", "\ufeff"} {
			path := filepath.Join(t.TempDir(), "p", "chats", "session-x.json")
			write(t, path, mark+head+c.body+c.tail)
			s := readFile(t, path)
			var prompts int
			for i := range s.Steps {
				if s.Steps[i].Kind != transcript.UserPrompt {
					continue
				}
				if prompts++; prompts%97 != 1 {
					continue
				}
				text := said(t, s, s.Steps[i].Text[0])
				if want := fmt.Sprint(prompts-1, " "); !strings.HasPrefix(text, "huge") && !strings.Contains(c.body, "huge") && !strings.HasPrefix(text, want) {
					t.Fatalf("%s: prompt %d is %.20q", name, i, text)
				}
			}
			if prompts != c.prompts || int(s.Skipped.Malformed) != c.damaged || s.ID != "d" {
				t.Errorf("%s: %d prompts, %d damaged, id %q, %+v", name, prompts, s.Skipped.Malformed, s.ID, s.Damage)
			}
			if c.damaged == 0 && s.Summary != "told behind" {
				t.Errorf("%s: summary %q", name, s.Summary)
			}
		}
	}
}

// TestAMessageALine: a document may begin with more than its brace.
func TestAMessageALine(t *testing.T) {
	text := `{"sessionId":"d","projectHash":"p","messages":[` + "\n" + user("1", 1, "hi") + ",\n" + answer("2", 2, "ho", "") + "\n]}\n"
	path := filepath.Join(t.TempDir(), "p", "chats", "session-x.json")
	write(t, path, text)
	if !(gemini.Format{}).Owns(path, []byte(text)) {
		t.Error("it is not known for what it is")
	}
	if s := readFile(t, path); len(s.Steps) != 2 || s.Skipped.Malformed != 0 {
		t.Errorf("%d steps, %+v", len(s.Steps), s.Damage)
	}
}
