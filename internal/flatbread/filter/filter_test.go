// SPDX-License-Identifier: Apache-2.0

package filter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fiftyarms/platform/internal/flatbread/filter"
)

// It is put together here, so that the repository holds none.
var github = "gh" + "p_" + "b7Rk2mXq9LtVw4Zs8NcYp1Hd6Jf3Gx0TaEuB"

// file is a file that holds a text, open.
func file(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// pipe is the end of a pipe through which a text comes.
func pipe(t *testing.T, text string) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	go func() {
		_, _ = io.WriteString(w, text)
		_ = w.Close()
	}()
	return r
}

// TestFormats: how a text begins tells what it is, from a file as from a pipe.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ name, in, format, want string }{
		{"lines of JSON", `{"password":"changeme"}`, "", `{"password":"«REDACTED:secret_field_name»"}`},
		{"behind a byte order mark and blank lines", "\ufeff\n\r\n " + `{"password":"changeme"}`, "", "\ufeff\n\r\n " + `{"password":"«REDACTED:secret_field_name»"}`},
		{"text", `password: "changeme"`, "", `password: "«REDACTED:assigned_secret»"`},
		{"JSON over several lines is text", "{\n  \"password\": \"changeme\"\n}", "", "{\n  \"password\": \"«REDACTED:assigned_secret»\"\n}"},
		{"as it is said", `{"password":"changeme"}`, filter.Text, `{"password":"«REDACTED:assigned_secret»"}`},
		{"nothing", "", "", ""},
		{"longer than the beginning that tells", strings.Repeat("word\n", 2000) + github, "", strings.Repeat("word\n", 2000) + "«REDACTED:github_token»"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, open := range []func(*testing.T, string) *os.File{file, pipe} {
				var out bytes.Buffer
				err := filter.Run(t.Context(), filter.Job{In: open(t, c.in), Out: &out, Format: c.format})
				if err != nil {
					t.Error(err)
				}
				if out.String() != c.want {
					t.Errorf("got %q, want %q", out.String(), c.want)
				}
			}
		})
	}
}

// TestNoCopyIsLeft: of what comes through a pipe a copy is kept meanwhile, where nobody else reads, and not afterwards.
func TestNoCopyIsLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Setenv("TMP", t.TempDir())
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	left := func() []os.DirEntry {
		files, err := os.ReadDir(os.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	watch := writer(func(p []byte) (int, error) {
		for _, f := range left() { // of systems that keep a file that is open
			if info, err := f.Info(); err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%s has %s", f.Name(), info.Mode())
			}
		}
		return len(p), nil
	})
	if err := filter.Run(t.Context(), filter.Job{In: pipe(t, "x "+github), Out: watch}); err != nil {
		t.Error(err)
	}
	failed := errors.New("nobody reads")
	if err := filter.Run(t.Context(), filter.Job{In: pipe(t, "x "+github), Out: writer(func([]byte) (int, error) { return 0, failed })}); !errors.Is(err, failed) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := filter.Run(ctx, filter.Job{In: pipe(t, "x "+github), Out: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if files := left(); len(files) > 0 {
		t.Errorf("%v is left", files)
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestReport: it is what the schema says, and holds no part of what was taken out, not even of a key.
func TestReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	in := `{"a":"` + github + `","` + github + `":{"password":"hunter2!"}}` + "\n" + "no JSON " + github
	for _, format := range []string{filter.JSONL, filter.Text} {
		if err := filter.Run(t.Context(), filter.Job{In: file(t, in), Out: io.Discard, Format: format, Report: path}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(github[4:12])) || bytes.Contains(text, []byte("hunter2")) {
			t.Errorf("it tells: %s", text)
		}
		compiler := jsonschema.NewCompiler()
		schema, err := compiler.Compile("../../../api/trace.schema.json#/$defs/RedactionReport")
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Error(err)
		}
	}
}

func TestProgress(t *testing.T) {
	var last int64
	in := strings.Repeat("word\n", 5000)
	err := filter.Run(t.Context(), filter.Job{In: file(t, in), Out: io.Discard, Progress: func(done int64) {
		if done < last {
			t.Errorf("%d after %d", done, last)
		}
		last = done
	}})
	if err != nil || last != 2*int64(len(in)) {
		t.Errorf("%d, %v", last, err)
	}
}
