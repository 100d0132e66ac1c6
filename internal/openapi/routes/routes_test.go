// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in, want string // want "" is an error
		nameless string
	}{
		{"GET /api/x/:id", "GET /api/x/{id}", "GET /api/x/{}"},
		{"get /api/x/{id}", "GET /api/x/{id}", "GET /api/x/{}"},
		{"  Post   /a  ", "POST /a", "POST /a"},
		{"GET /", "GET /", "GET /"},
		{"GET /x/", "GET /x/", "GET /x/"},
		{"GET /x/{a}.{b}", "GET /x/{a}.{b}", "GET /x/{}.{}"},
		{"POST /apis/x:cancel", "POST /apis/x:cancel", "POST /apis/x:cancel"},
		{"POST /apis/{id}:cancel", "POST /apis/{id}:cancel", "POST /apis/{}:cancel"},
		{"GET /x/:9", "GET /x/:9", "GET /x/:9"},
		{"GET /x/{open", "GET /x/{open", "GET /x/{open"},
		{"VERSION-CONTROL /x", "VERSION-CONTROL /x", "VERSION-CONTROL /x"},
		{"/api/x", "", ""},
		{"GET", "", ""},
		{"GET api/x", "", ""},
		{"G?T /x", "", ""},
		{"", "", ""},
	} {
		r, err := Parse(c.in)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%q is read as %q", c.in, r)
		case c.want == "" && !strings.Contains(err.Error(), `"GET /path/{id}"`):
			t.Errorf("%q: the error does not show what a route looks like: %v", c.in, err)
		case c.want != "" && (err != nil || r.String() != c.want || r.Nameless() != c.nameless):
			t.Errorf("%q: %q (%q), %v", c.in, r, r.Nameless(), err)
		}
	}
}

func TestSplit(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                 nil,
		" , ,":                             nil,
		"GET /a":                           {"GET /a"},
		"GET /a,POST /b/{id}":              {"GET /a", "POST /b/{id}"},
		" GET /a , get /b#Name ,":          {"GET /a", "get /b#Name"},
		"GET /users(id={a},n={b}),PUT /x":  {"GET /users(id={a},n={b})", "PUT /x"},
		"GET /a,b,GET /c":                  {"GET /a,b", "GET /c"},
		"GET /range/{from},{to},DELETE /y": {"GET /range/{from},{to}", "DELETE /y"},
	} {
		if diff := cmp.Diff(want, Split(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

func TestTree(t *testing.T) {
	tree := &Tree[string]{}
	for _, template := range []string{
		"/", "/x", "/x/", "/x/{id}", "/x/me", "/x/{id}/y", "/x/me/z", "/f/{name}.{ext}", "/f/{name}", "/f/{name}.tar.{ext}",
		"/diff/{base}...{head}", "/r/{owner}:{id}", "/r/{id}:cancel", "/p/{a}/{b}", "/p/{c}/d", "/sp%20ace/{v}", "/é", "/q?b=1", "/two/{a}{b}",
	} {
		tree.Add(template, template)
	}
	for _, c := range []struct{ path, template, values string }{
		{"/", "/", ""},
		{"/x", "/x", ""},
		{"/x/", "/x/", ""},
		{"/x/7", "/x/{id}", "7"},
		{"/x/me", "/x/me", ""},
		{"/x/m%65", "/x/me", ""},
		{"/x/me/y", "/x/{id}/y", "me"},
		{"/x/me/z", "/x/me/z", ""},
		{"/x/7/", "", ""},
		{"/x//y", "", ""},
		{"/x/a%2Fb", "/x/{id}", "a/b"},
		{"/x/a%20b", "/x/{id}", "a b"},
		{"/x/%zz", "", ""},
		{"/f/a.txt", "/f/{name}.{ext}", "a|txt"},
		{"/f/a.b.c", "/f/{name}.{ext}", "a|b.c"},
		{"/f/a.tar.gz", "/f/{name}.tar.{ext}", "a|gz"},
		{"/f/a", "/f/{name}", "a"},
		{"/f/.x", "/f/{name}", ".x"},
		{"/f/a.", "/f/{name}", "a."},
		{"/diff/v1.0...v2%2F0", "/diff/{base}...{head}", "v1.0|v2/0"},
		{"/diff/a..b", "", ""},
		{"/r/a:cancel", "/r/{id}:cancel", "a"},
		{"/r/a:b:cancel", "/r/{id}:cancel", "a:b"},
		{"/r/a:5", "/r/{owner}:{id}", "a|5"},
		{"/r/a%3A5", "/r/{owner}:{id}", "a|5"},
		{"/p/1/d", "/p/{c}/d", "1"},
		{"/p/1/e", "/p/{a}/{b}", "1|e"},
		{"/sp%20ace/1", "/sp%20ace/{v}", "1"},
		{"/%C3%A9", "/é", ""},
		{"/q?b=1", "/q?b=1", ""},
		{"/two/xyz", "/two/{a}{b}", "x|yz"},
		{"", "", ""},
		{"x", "", ""},
		{"//x", "", ""},
	} {
		var template, values string
		tree.Walk(c.path, func(leaves []Leaf[string], v []string) bool {
			if len(leaves) == 0 {
				return true
			}
			template, values = leaves[0].Value, strings.Join(v, "|")
			return false
		})
		if template != c.template || values != c.values {
			t.Errorf("%q: %q with %q, want %q with %q", c.path, template, values, c.template, c.values)
		}
	}
}

var ours = []string{
	"POST /api/access-requests", "GET /api/access-requests", "POST /api/access-requests/claim",
	"GET /api/access-requests/{publicId}", "POST /api/access-requests/{publicId}/approve",
	"GET /api/auth/me", "GET /api/auth/permissions", "GET /api/keys", "DELETE /api/keys/{id}",
	"GET /api/issues", "POST /api/issues", "GET /api/issues/{id}", "PATCH /api/issues/{id}/edit", "POST /api/issues/{id}/transition",
	"GET /api/plans", "GET /api/plans/{id}", "POST /api/plan-sessions", "DELETE /api/plan-sessions", "POST /api/plan-sessions/me/heartbeat",
	"GET /api/docs/{repo}/pages/{id}", "GET /api/files/{name}.{ext}", "GET /healthz",
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		want string
		best []string
	}{
		{"GET /api/access-request", []string{"GET /api/access-requests"}},
		{"POST /api/key/5", []string{"DELETE /api/keys/{id}"}},
		{"POST /api/keys/5", []string{"DELETE /api/keys/{id}"}},
		{"PUT /api/issues", []string{"GET /api/issues", "POST /api/issues"}},
		{"DELETE /api/issues/ABC-1", []string{"GET /api/issues/{id}"}},
		{"PATCH /api/issues/ABC-1", []string{"GET /api/issues/{id}", "PATCH /api/issues/{id}/edit"}},
		{"GET /issues/5", []string{"GET /api/issues/{id}"}},
		{"GET /api/issue/:id", []string{"GET /api/issues/{id}"}},
		{"POST /api/issues/{id}/transitions", []string{"POST /api/issues/{id}/transition"}},
		{"POST /api/plan-session/me/heartbeat", []string{"POST /api/plan-sessions/me/heartbeat"}},
		{"GET /api/keys/", []string{"GET /api/keys"}},
		{"get /API/Keys", []string{"GET /api/keys"}},
		{"/api/auth/permission", []string{"GET /api/auth/permissions"}},
		{"GET /api/plans/5?fields=x", []string{"GET /api/plans/{id}"}},
		{"GET /api/files/a.txt/", []string{"GET /api/files/{name}.{ext}"}},
		{"GET /api/permission", []string{"GET /api/auth/permissions"}},
		{"GET /health", []string{"GET /healthz"}},
		{"GET /api/docs/own/page/9", []string{"GET /api/docs/{repo}/pages/{id}"}},
		{"POST /api/access-requests/abc/aprove", []string{"POST /api/access-requests/{publicId}/approve"}},
	} {
		got := Nearest(ours, c.want, len(c.best))
		if diff := cmp.Diff(c.best, got); diff != "" {
			t.Errorf("%s: %s", c.want, diff)
		}
		if again := Nearest(ours, c.want, len(c.best)); !cmp.Equal(got, again) {
			t.Errorf("%s: not always the same: %v, %v", c.want, got, again)
		}
	}
	if got := Nearest(ours, "GET /x", 3); len(got) != 3 {
		t.Errorf("three were asked for: %v", got)
	}
	if got := Nearest(nil, "GET /x", 3); len(got) != 0 {
		t.Error(got)
	}
	if got := Nearest(ours, "", -1); len(got) != 0 {
		t.Error(got)
	}
}

func TestLevenshtein(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"kitten", "sitting", 3}, {"key", "keys", 1}} {
		if got := Levenshtein(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d", c.a, c.b, got)
		}
	}
}

func TestCheckPath(t *testing.T) {
	for _, c := range []struct {
		path  string
		kind  PathErrorKind // "" is fine
		param string
	}{
		{"/", "", ""},
		{"/api/issues/ABC-1", "", ""},
		{"/api/keys/", "", ""},
		{"/a%20b/c", "", ""},
		{"/a/100%25", "", ""},
		{"/a/%3Fx", "", ""},
		{"/a/%23x", "", ""},
		{"/apis/x:cancel", "", ""},
		{"/apis/12:cancel", "", ""},
		{"/a/:", "", ""},
		{"/a/:9", "", ""},
		{"/a/%3Aname", "", ""},
		{"/a/...", "", ""},
		{"/a/..b", "", ""},
		{"/a/b..c", "", ""},
		{"/é/ü", "", ""},
		{"/a/{", "", ""},
		{"/a/x@y.z", "", ""},

		{"", PathEmpty, ""},
		{"api/x", PathRelative, ""},
		{"GET /api/x", PathRelative, ""},
		{"?x=1", PathRelative, ""},
		{"http://host/api/x", PathScheme, ""},
		{"HTTPS://host", PathScheme, ""},
		{"file:/etc/passwd", PathScheme, ""},
		{"svn+ssh://h/x", PathScheme, ""},
		{"//host/api/x", PathHost, ""},
		{"///x", PathHost, ""},
		{"/api?x=1", PathQuery, ""},
		{"/api/x?a=1#b", PathQuery, ""},
		{"/api/?", PathQuery, ""},
		{"/api/x#frag", PathFragment, ""},
		{"/api/x#a?b", PathFragment, ""},
		{`/api\x`, PathBackslash, ""},
		{`\\host\x`, PathBackslash, ""},
		{"/a\n", PathControl, ""},
		{"/a\x00b", PathControl, ""},
		{"/a\x7f", PathControl, ""},
		{"/a\u0085", PathControl, ""},
		{"/a%00", PathControl, ""},
		{"/a%0d%0aX:1", PathControl, ""},
		{"/a%250a", PathControl, ""},
		{"/a/%", PathEscape, ""},
		{"/a/%2", PathEscape, ""},
		{"/a/%zz", PathEscape, ""},
		{"/a/..", PathDotSegment, ""},
		{"/../a", PathDotSegment, ""},
		{"/a/./b", PathDotSegment, ""},
		{"/a/%2e%2e/b", PathDotSegment, ""},
		{"/a/%2E./b", PathDotSegment, ""},
		{"/a/.%2e/b", PathDotSegment, ""},
		{"/a/%2e", PathDotSegment, ""},
		{"/a/%252e%252e/b", PathDotSegment, ""},
		{"/a/%252e./b", PathDotSegment, ""},
		{"/a/%25252e%25252e/b", PathDotSegment, ""},
		{"/a/..;x=1/b", PathDotSegment, ""},
		{"/a/%2e%2e%3b/b", PathDotSegment, ""},
		{"/a%2fb", PathEncodedSlash, ""},
		{"/a%2Fb", PathEncodedSlash, ""},
		{"/a%5cb", PathEncodedSlash, ""},
		{"/a%252fb", PathEncodedSlash, ""},
		{"/..%2f..%2fadmin", PathEncodedSlash, ""},
		{"/a//b", PathEmptySegment, ""},
		{"/a//", PathEmptySegment, ""},
		{"/api/x/{id}", PathUnfilled, "id"},
		{"/api/x/{id}/y", PathUnfilled, "id"},
		{"/api/x/:id", PathUnfilled, "id"},
		{"/api/x/:id/y", PathUnfilled, "id"},
		{"/api/x/:public-id", PathUnfilled, "public-id"},
		{"/f/{name}.txt", PathUnfilled, "name"},
		{"/x/%7Bid%7D", PathUnfilled, "id"},
	} {
		err := CheckPath(c.path)
		if c.kind == "" {
			if err != nil {
				t.Errorf("%q is refused: %v", c.path, err)
			}
			continue
		}
		bad, ok := err.(*PathError)
		if !ok || bad.Kind != c.kind || bad.Param != c.param {
			t.Errorf("%q: %#v, want %s %s", c.path, err, c.kind, c.param)
			continue
		}
		if c.param != "" && !strings.Contains(bad.Error(), `"`+c.param+`"`) {
			t.Errorf("%q: the error does not name the parameter: %v", c.path, bad)
		}
		if c.kind == PathQuery && !strings.Contains(bad.Error(), "query") {
			t.Errorf("%q: the error does not say where the query goes: %v", c.path, bad)
		}
		if strings.Contains(bad.Error(), "%!") || bad.Error() == "" {
			t.Errorf("%q: bad message %q", c.path, bad.Error())
		}
	}
	if err := CheckPathWith("/x/:batch", map[string]bool{":batch": true}); err != nil {
		t.Error(err)
	}
}

// FuzzCheckPath holds what CheckPath lets through against what a server would
// make of it, however often it decodes.
func FuzzCheckPath(f *testing.F) {
	for _, s := range []string{"/", "/a/b%20c", "/%2e%2e/x", "//h", "/a/..;/b", "/%25252e", "/:id", "http://x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if CheckPath(path) != nil {
			return
		}
		if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "?#\\") {
			t.Fatalf("%q is let through", path)
		}
		for range 5 {
			decoded, ok := decodeAll(path)
			if !ok {
				break
			}
			for seg := range strings.SplitSeq(decoded, "/") {
				if seg == ".." || seg == "." {
					t.Fatalf("%q is let through and means %q", path, decoded)
				}
			}
			if strings.Count(decoded, "/") != strings.Count(path, "/") || strings.ContainsAny(decoded, "\\\n\r\x00") {
				t.Fatalf("%q is let through and means %q", path, decoded)
			}
			path = decoded
		}
	})
}

// decodeAll decodes like a careless server: what is no escape stays.
func decodeAll(s string) (string, bool) {
	var b strings.Builder
	changed := false
	for i := 0; i < len(s); i++ {
		var c byte
		if s[i] == '%' && i+2 < len(s) {
			if n, err := fmt.Sscanf(s[i+1:i+3], "%02x", &c); n == 1 && err == nil && isHex(s[i+1]) && isHex(s[i+2]) {
				b.WriteByte(c)
				i += 2
				changed = true
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), changed
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

func TestListIn(t *testing.T) {
	whole := ListIn(ours, "", 0)
	if len(whole.Routes) != len(ours) || whole.Total != len(ours) || whole.Groups != nil || whole.Hint != "" {
		t.Errorf("%+v", whole)
	}
	filtered := ListIn(ours, "get ISSUES", 0)
	if diff := cmp.Diff(List{Routes: []string{"GET /api/issues", "GET /api/issues/{id}"}, Total: 2}, filtered); diff != "" {
		t.Error(diff)
	}
	none := ListIn(ours, "zebra", 0)
	if none.Routes == nil || none.Total != 0 || !strings.Contains(none.Hint, `"zebra"`) {
		t.Errorf("%+v", none)
	}
	if b, err := json.Marshal(none); err != nil || !strings.Contains(string(b), `"routes":[]`) {
		t.Errorf("%s, %v", b, err)
	}
	if empty := ListIn(nil, "", 0); empty.Routes == nil || empty.Hint != "" {
		t.Errorf("%+v", empty)
	}
}

func TestListGroups(t *testing.T) {
	var many []string
	for i := range 400 {
		many = append(many, fmt.Sprintf("GET /repos/{owner}/{repo}/part%d", i%40))
	}
	for i := range 30 {
		many = append(many, fmt.Sprintf("GET /users/{id}/thing%d", i))
	}
	many = append(many, "GET /meta")
	list := ListIn(many, "", 2000)
	if list.Routes != nil || list.Total != 431 || len(list.Groups) > 50 {
		t.Fatalf("%+v", list)
	}
	sum := 0
	for _, g := range list.Groups {
		sum += g.Count
		if within := ListIn(many, g.Prefix, 1<<20); within.Total < g.Count {
			t.Errorf("filter %q finds %d, the group has %d", g.Prefix, within.Total, g.Count)
		}
	}
	if sum != list.Total {
		t.Errorf("the groups hold %d of %d", sum, list.Total)
	}
	if !strings.Contains(list.Hint, "431 routes are too many") || !strings.Contains(list.Hint, "filter") {
		t.Error(list.Hint)
	}
	if b, err := json.Marshal(list); err != nil || strings.Contains(string(b), `"routes"`) {
		t.Errorf("%s, %v", b, err)
	}
	if list := ListIn(many, "", 1); list.Groups[0].Prefix == "/" && !strings.Contains(list.Hint, `"/"`) || len(list.Groups) == 0 {
		t.Errorf("%+v", list)
	}
}
