// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

const dir = "testdata/recordings"

// read loads one recording and its only call.
func read(t *testing.T, c Case) *cassette.Interaction {
	t.Helper()
	tape, err := cassette.Load(filepath.Join(dir, c.Operation, c.Name))
	if err != nil {
		t.Fatalf("%v: make it with go run ./tools/record", err)
	}
	if len(tape.Interactions) != 1 {
		t.Fatalf("holds %d calls, want 1", len(tape.Interactions))
	}
	return tape.Interactions[0]
}

func TestEveryOperationIsRecorded(t *testing.T) {
	success, refusal := map[string]bool{}, map[string]bool{}
	for _, c := range Cases {
		if c.Status < 300 {
			success[c.Operation] = true
		} else {
			refusal[c.Operation] = true
		}
	}
	for _, op := range dash.Operations {
		if !success[op.ID] {
			t.Errorf("operation %s has no recorded success: add a case", op.ID)
		}
		if !refusal[op.ID] {
			t.Errorf("operation %s has no recorded refusal: add a case", op.ID)
		}
	}
}

func TestRecordingsKeepTheContract(t *testing.T) {
	for _, c := range Cases {
		t.Run(c.Operation+"/"+c.Name, func(t *testing.T) {
			i := read(t, c)
			if i.Response.Code != c.Status {
				t.Errorf("answered %d, want %d", i.Response.Code, c.Status)
			}
			hold(testkit.NewContract(t), i)
		})
	}
}

// hold plays a recording past the contract check.
func hold(contract *testkit.Contract, i *cassette.Interaction) {
	r := httptest.NewRequest(i.Request.Method, strings.TrimPrefix(i.Request.URL, publicURL), strings.NewReader(i.Request.Body))
	r.Header = i.Request.Headers.Clone()
	contract.Check(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // as a server would: the check sees what was read
		maps.Copy(w.Header(), i.Response.Headers)
		w.WriteHeader(i.Response.Code)
		io.WriteString(w, i.Response.Body)
	})).ServeHTTP(httptest.NewRecorder(), r)
}

func TestClientReadsRecordings(t *testing.T) {
	for _, c := range Cases {
		t.Run(c.Operation+"/"+c.Name, func(t *testing.T) {
			i := read(t, c)
			res, err := i.GetHTTPResponse()
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := dash.ParseResponse(c.Operation, res)
			if err != nil {
				t.Fatal(err)
			}
			field := reflect.ValueOf(parsed).Elem().FieldByName(fmt.Sprintf("JSON%d", c.Status))
			contentType := i.Response.Headers.Get("Content-Type")
			switch {
			case contentType != "" && contentType != "application/json":
				if got := reflect.ValueOf(parsed).Elem().FieldByName("Body").Bytes(); string(got) != i.Response.Body {
					t.Errorf("the client reads %q", got)
				}
			case i.Response.Body == "":
				if field.IsValid() {
					t.Error("the contract declares a body that was not sent")
				}
			case !field.IsValid() || field.IsNil():
				t.Error("the client does not know this answer")
			}
		})
	}
}

func TestRefusalsAreErrorsOfTheirCode(t *testing.T) {
	for _, c := range Cases {
		if c.Status < 300 {
			continue
		}
		code, _, _ := strings.Cut(c.Name, "-")
		refusal, err := dash.DecodeRefusal([]byte(read(t, c).Response.Body))
		if err != nil {
			t.Errorf("%s/%s: %v", c.Operation, c.Name, err)
		} else if refusal.RefusalStatus() != c.Status || refusal.RefusalCode() != code || refusal.Error() == "" {
			t.Errorf("%s/%s is read as %d %s %q", c.Operation, c.Name, refusal.RefusalStatus(), refusal.RefusalCode(), refusal)
		}
	}
	if _, err := dash.DecodeRefusal([]byte(`{"error":"nobody_knows","message":""}`)); err == nil {
		t.Error("read a refusal that the contract does not know")
	}
}

// The check has to be able to fail: a recording that was tampered with is caught.
func TestTamperedRecordingsAreCaught(t *testing.T) {
	tests := []struct {
		name, old, new string
		operation      string
		recording      string
	}{
		{"another kind", `"kind":"key"`, `"kind":"robot"`, "getMe", "key"},
		{"a field that nobody knows", `"kind":"key"`, `"kind":"key","colour":"red"`, "getMe", "key"},
		{"a field that is missing", `"prefix":`, `"prefixed":`, "getMe", "key"},
		{"another code", `"error":"not_found"`, `"error":"gone"`, "revokeKey", "not_found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i := read(t, Case{Operation: tt.operation, Name: tt.recording})
			tampered := strings.Replace(i.Response.Body, tt.old, tt.new, 1)
			if tampered == i.Response.Body {
				t.Fatalf("the recording does not hold %s any more: mend this test", tt.old)
			}
			i.Response.Body = tampered
			caught := &catching{TB: t}
			hold(testkit.NewContract(caught), i)
			if caught.errors == 0 {
				t.Error("passed the check")
			}
		})
	}
	t.Run("a status that is not declared", func(t *testing.T) {
		i := read(t, Case{Operation: "getMe", Name: "key"})
		i.Response.Code = http.StatusTeapot
		caught := &catching{TB: t}
		hold(testkit.NewContract(caught), i)
		if caught.errors == 0 {
			t.Error("passed the check")
		}
	})
}

// catching counts what would have failed a test.
type catching struct {
	testing.TB
	errors int
}

func (c *catching) Errorf(string, ...any) { c.errors++ }

// TestRecordingsAreCurrent records everything again: the bytes are the same, so a diff shows what an answer changed.
func TestRecordingsAreCurrent(t *testing.T) {
	fresh := t.TempDir()
	if err := Record(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	want, got := tree(t, dir), tree(t, fresh)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("files (-kept +fresh), record again with go run ./tools/record:\n%s", diff)
	}
	for name, b := range got {
		if !bytes.Equal(want[name], b) {
			t.Errorf("%s (-kept +fresh), record again with go run ./tools/record:\n%s", name, cmp.Diff(string(want[name]), string(b)))
		}
	}
}

func tree(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		files[rel], err = os.ReadFile(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRecordingsHoldNoSecret(t *testing.T) {
	for name, b := range tree(t, dir) {
		for _, prefix := range []string{"Bearer ", "50a_"} {
			for rest := range strings.SplitSeq(string(b), prefix) {
				if token, _, _ := strings.Cut(rest, `"`); rest != string(b) && len(token) > 20 && !strings.HasPrefix(token, "scrubbed") && !strings.ContainsAny(token, " \n:{") {
					t.Errorf("%s holds something after %q: %.8s…", name, prefix, token)
				}
			}
		}
	}
}
