// SPDX-License-Identifier: Apache-2.0

package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// spelled is a line whose strings have an escape for each letter and digit; a damaged one as it is.
func spelled(line string) string {
	var rec record
	if rec.scan(new(jsonscan.Scanner), []byte(line)) != nil {
		return line
	}
	var out strings.Builder
	in, escape := false, 0
	for i, c := range line {
		switch {
		case escape > 0:
			escape--
		case c == '\\':
			escape = 1
			if line[i+1] == 'u' {
				escape = 5
			}
		case c == '"':
			in = !in
		case in && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'):
			fmt.Fprintf(&out, `\u%04x`, c)
			continue
		}
		out.WriteRune(c)
	}
	return out.String()
}

// TestEscapesMakeNoDifference: a log that another program has written anew has other escapes, and is the same.
func TestEscapesMakeNoDifference(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	html := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`)
	writers := map[string]func(line string) string{
		"html": html.Replace, "slashes": strings.NewReplacer("/", `\/`).Replace, "spelled": spelled,
	}
	for _, file := range files {
		if strings.Contains(file, "invalid-utf8") {
			continue // a writer would have mended it
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := txtar.Write(archive, dir); err != nil {
			t.Fatal(err)
		}
		want := wanted(t, open(t, filepath.Join(dir, "session.jsonl")))
		for name, write := range writers {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				for _, f := range archive.Files {
					lines := strings.Split(string(f.Data), "\n")
					for i := range lines {
						if strings.HasSuffix(f.Name, ".jsonl") {
							lines[i] = write(lines[i])
						}
					}
					if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if d := cmp.Diff(want, wanted(t, open(t, filepath.Join(dir, "session.jsonl")))); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// TestEscapesOfSomeRecords: an id is the same however a record spells it.
func TestEscapesOfSomeRecords(t *testing.T) {
	answer := func(uuid, message, request string, output int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"%s","sessionId":"s","requestId":"%s","message":{"id":"%s","model":"\u003csynthetic-\u003e","content":[{"type":"t\u0065xt","text":"%s"}],"usage":{"input_tokens":7,"output_tokens":%d}}}`, uuid, request, message, uuid, output) + "\n"
	}
	dir := write(t, map[string]string{"s.jsonl": answer("1", "m/1", "r/1", 1) + answer("2", `m\/1`, "r/1", 3) + answer("3", `\u006d/1`, `\u0072\/1`, 2) + answer(`\u0031`, "m9", "r9", 5)})
	s := open(t, filepath.Join(dir, "s.jsonl"))
	if s.Usage.Input != 7 || s.Usage.Output != 3 || s.Model != "<synthetic->" || len(s.Steps) != 3 {
		t.Errorf("%+v of %s in %d steps", s.Usage, s.Model, len(s.Steps))
	}
}
