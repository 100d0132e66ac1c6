// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/fiftyarms/platform"

// A ban keeps the packages that match from from reaching those that match to, directly or through others of ours.
type ban struct {
	from, to string // path patterns below the module; "..." ends one that matches every package below
	except   []string
	why      string
}

var bans = []ban{
	{from: "gen/...", to: "internal/...", why: "generated code is below everything that is written by hand"},
	{from: "internal/access", to: "internal/...", why: "rules import only generated models and std"},
	{from: "internal/approval", to: "internal/...", why: "rules import only generated models and std"},
	{from: "internal/work", to: "internal/...", why: "rules import only generated models and std"},
	{from: "internal/event", to: "internal/...", why: "rules import only generated models and std"},
	{from: "internal/wake/...", to: "internal/store/...", why: "a waker carries no data, so it knows none"},
	{from: "internal/sse", to: "gen/...", why: "frames carry anything"},
	{from: "internal/sse", to: "internal/...", why: "frames carry anything"},
	{from: "internal/blobs", to: "internal/...", why: "bytes of a file mean nothing here"},
	{from: "internal/openapi/...", to: "internal/...", why: "it serves any document, so it knows nothing of ours"},
	{from: "internal/mcpstdio/...", to: "internal/...", why: "a transport knows nothing of what it carries"},
	{from: "internal/platform/mcphttp", to: "gen/...", why: "a transport knows nothing of what it carries"},
	{from: "internal/platform/trio/jq", to: "gen/...", why: "an expression runs over any JSON"},
	{from: "internal/platform/trio/jq", to: "internal/...", why: "an expression runs over any JSON"},
	{from: "internal/dashboard/thumbnail", to: "internal/...", why: "a picture means nothing here"},
	{from: "internal/dashboard/thumbnail", to: "gen/...", why: "a picture means nothing here"},
	{from: "internal/openapi/...", to: "gen/...", why: "it serves any document, so it knows nothing of ours"},
	{from: "internal/mcpstdio/...", to: "gen/...", why: "a transport knows nothing of what it carries"},
	{from: "internal/transcript/...", to: "gen/...", why: "a reader knows an agent's files, not what is made of them"},
	{from: "internal/transcript/...", to: "internal/flatbread/...", why: "a reader knows an agent's files, not what is made of them"},
	{from: "internal/transcript/...", to: "internal/cli", why: "a reader tells its caller, not people"},
	{from: "internal/jsonscan", to: "internal/...", why: "JSON means nothing here"},
	{from: "internal/jsonl", to: "internal/transcript/...", why: "lines mean nothing here"},
	{from: "internal/redact/...", to: "gen/...", why: "text means nothing here"},
	{from: "internal/redact/...", to: "internal/transcript/...", why: "text means nothing here"},
	{from: "internal/redact/...", to: "internal/flatbread/...", why: "text means nothing here"},
	{from: "internal/redact/...", to: "internal/cli", why: "a redactor tells its caller, not people"},
	{from: "internal/flatbread/...", to: "internal/store/...", why: "flatbread reads what is on this machine, and grows no server"},
	{from: "internal/flatbread/...", to: "internal/dashboard/...", why: "flatbread reads what is on this machine, and grows no server"},
	{from: "internal/flatbread/...", to: "internal/platform/...", why: "each command is one part"},
	{from: "internal/flatbread/...", to: "gen/sqldb", why: "a client reaches the dashboard only through gen/dash"},
	{from: "internal/platform/...", to: "internal/store/...", why: "a client reaches the dashboard only through gen/dash"},
	{from: "internal/platform/...", to: "internal/dashboard/...", why: "a client reaches the dashboard only through gen/dash"},
	{from: "internal/platform/...", to: "gen/sqldb", why: "a client reaches the dashboard only through gen/dash"},
	{from: "internal/dashboard/...", to: "internal/platform/...", why: "the server does not know its clients"},
	{from: "internal/dashboard/web/...", to: "internal/store/...", why: "pages are a client of the API: they can do only what the contract permits"},
	{from: "internal/dashboard/web/...", to: "internal/dashboard/handler", why: "pages are a client of the API: they can do only what the contract permits"},
	{from: "internal/store", to: "internal/store/sqlstore", why: "an interface does not know its implementations"},
	{from: "cmd/platform-mcp", to: "internal/dashboard/...", why: "platform-mcp is one part; dashboard links both for the demo alone"},
	{from: "cmd/platform-mcp", to: "internal/demo", why: "platform-mcp is one part; dashboard links both for the demo alone"},
}

// outside says which packages alone may import another's module. The bans above speak of our own packages.
var outside = []struct {
	module string
	only   []string
	why    string
}{
	{"modernc.org/sqlite", []string{"internal/store/sqlstore", "internal/transcript/opencode"}, "only the SQL store knows an engine; opencode's sessions are an SQLite file"},
	{"github.com/jackc/pgx/v5", []string{"internal/store/sqlstore", "internal/wake/pgnotify"}, "only the SQL store knows an engine, and NOTIFY is PostgreSQL's own"},
	{"github.com/pressly/goose/v3", []string{"internal/store/sqlstore"}, "only the SQL store knows an engine"},
	{"database/sql", []string{"gen/sqldb", "internal/store/sqlstore", "internal/testkit", "internal/transcript/opencode"}, "only the SQL store knows an engine"},
	{"github.com/mark3labs/mcp-go", []string{"internal/mcpstdio", "internal/platform/..."}, "only MCP servers know the protocol's library"},
	{"github.com/getkin/kin-openapi", []string{"internal/testkit/...", "internal/recordings/..."}, "it compiles a schema at each validation: tests alone can afford it"},
	{"github.com/a-h/templ", []string{"internal/dashboard/web/..."}, "only pages draw"},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"internal/openapi/...", "tools/specgen"}, "one place turns its errors into words for people"},
	{"github.com/itchyny/gojq", []string{"internal/platform/trio/jq"}, "one place bounds what an expression takes"},
	{"golang.org/x/image", []string{"internal/dashboard/thumbnail"}, "one place decodes what strangers sent"},
	{"gocloud.dev", []string{"internal/blobs"}, "one place knows where bytes are kept"},
	{"github.com/evanw/esbuild", []string{"tools/webbuild"}, "scripts are bundled before they are committed"},
	{"github.com/yuin/goldmark", []string{"internal/dashboard/web/..."}, "only pages draw"},
	{"github.com/microcosm-cc/bluemonday", []string{"internal/dashboard/web/..."}, "only pages draw"},
	{"github.com/spf13/cobra", []string{"internal/cli", "internal/dashboard/app", "internal/platform/app", "internal/flatbread/app", "internal/demo"}, "only commands know a command line"},
}

type listed struct {
	ImportPath string
	Imports    []string
}

func goList(t *testing.T, args ...string) map[string]listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Imports"}, args...)...)
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0") // the lists are of one system
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr(err))
	}
	packages := map[string]listed{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[strings.TrimPrefix(p.ImportPath, module+"/")] = p
	}
}

func stderr(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(exit.Stderr)
	}
	return ""
}

func match(pattern, pkg string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
	}
	return pattern == pkg
}

func matchAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}

func TestImports(t *testing.T) {
	packages := goList(t, "./...")
	for pkg := range packages {
		for to, via := range reach(packages, pkg) {
			for _, b := range bans {
				if match(b.from, pkg) && match(b.to, to) && !match(b.from, to) && !matchAny(b.except, pkg) {
					t.Errorf("%s imports %s (%s): %s", pkg, to, via, b.why)
				}
			}
		}
		for _, imported := range packages[pkg].Imports {
			for _, o := range outside {
				if (imported == o.module || strings.HasPrefix(imported, o.module+"/")) && !matchAny(o.only, pkg) {
					t.Errorf("%s imports %s: %s", pkg, imported, o.why)
				}
			}
		}
		if name := path.Base(pkg); slices.Contains([]string{"util", "utils", "common", "helpers", "helper", "manager", "shared", "misc"}, name) {
			t.Errorf("%s: a package is named for the one idea in it", pkg)
		}
	}
	for _, b := range bans { // a ban on nothing holds nothing
		if !slices.ContainsFunc(slices.Collect(keys(packages)), func(p string) bool { return match(b.from, p) }) {
			t.Errorf("the ban from %s matches no package", b.from)
		}
	}
}

func keys(m map[string]listed) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// reach finds every package of ours that pkg imports, and through what.
func reach(packages map[string]listed, pkg string) map[string]string {
	found := map[string]string{}
	var walk func(at, via string)
	walk = func(at, via string) {
		for _, imported := range packages[at].Imports {
			to, ours := strings.CutPrefix(imported, module+"/")
			if _, seen := found[to]; !ours || seen {
				continue
			}
			found[to] = via + " → " + to
			walk(to, found[to])
		}
	}
	walk(pkg, pkg)
	return found
}
