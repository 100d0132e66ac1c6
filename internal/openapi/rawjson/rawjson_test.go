// SPDX-License-Identifier: Apache-2.0

package rawjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = ` { "a" : [1, {"x\"}":"]"}, "\u00e9\ud83d\ude00"] , "b/c":{"~d": 9007199254740993 },"e":null, "f":true,"g":-1.50e3 } `

func TestMembersKeepOrderAndSkipWhatIsInside(t *testing.T) {
	s := Source(text)
	var got []string
	for k, v := range s.Members(s.At(0)) {
		got = append(got, string(k)+"="+string(s.Raw(v)))
	}
	want := []string{`a=[1, {"x\"}":"]"}, "\u00e9\ud83d\ude00"]`, `b/c={"~d": 9007199254740993 }`, `e=null`, `f=true`, `g=-1.50e3`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestValues(t *testing.T) {
	s := Source(text)
	whole := s.At(0)
	if got := s.Any(s.Get(s.Get(whole, "b/c"), "~d")); got != json.Number("9007199254740993") {
		t.Errorf("a large integer became %v", got)
	}
	if got := s.Strs(s.Get(whole, "a")); !cmp.Equal(got, []string{"é😀"}) {
		t.Errorf("strings of an array: %q", got)
	}
	if !s.IsTrue(s.Get(whole, "f")) || s.IsTrue(s.Get(whole, "e")) || s.Get(whole, "zz").OK() {
		t.Error("true, null or nothing was taken for another")
	}
	if got := string(s.Compact(nil, whole)); got != `{"a":[1,{"x\"}":"]"},"\u00e9\ud83d\ude00"],"b/c":{"~d":9007199254740993},"e":null,"f":true,"g":-1.50e3}` {
		t.Error(got)
	}
	var want any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Any(whole)); diff != "" {
		t.Error(diff)
	}
}

func TestDescend(t *testing.T) {
	s := Source(text)
	for pointer, want := range map[string]string{
		"":            strings.TrimSpace(text),
		"/a/0":        "1",
		"/a/1/x\"}":   `"]"`,
		"/b~1c/~0d":   "9007199254740993",
		"/a/3":        "",
		"/a/-":        "",
		"/a/0/x":      "",
		"/b~1c/~0d/0": "",
		"/nothing":    "",
	} {
		if got := string(s.Raw(s.Descend(s.At(0), SplitPointer(pointer)))); got != want {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
		if pointer != "" && JoinPointer(SplitPointer(pointer)) != pointer {
			t.Errorf("%q does not survive", pointer)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ name, text, pointer, message string }{
		{"nothing", "", "", "must not be empty"},
		{"space", " \n", "", "must not be empty"},
		{"cut off", `{"a":`, "", "is not valid JSON: it ends too early"},
		{"syntax", `{"a":tru}`, "", "is not valid JSON at byte 8"},
		{"single quotes", `{'a':1}`, "", "is not valid JSON at byte 1"},
		{"more text", `{} {}`, "", "must be one JSON value: more text follows at byte 2"},
		{"trailing garbage", `{}x`, "", "must be one JSON value: more text follows at byte 2"},
		{"duplicate key", `{"a":{"b":1,"b":2}}`, "/a/b", "is given twice"},
		{"duplicate key by escape", `{"a":1,"\u0061":2}`, "/a", "is given twice"},
		{"invalid UTF-8", "\"\xff\"", "", "must be valid UTF-8"},
		{"lone surrogate", `"\ud800"`, "", "is not valid JSON at byte 1"},
		{"too deep", deep(MaxDepth + 1), "", "must not be nested deeper than 200 levels"},
		{"huge exponent", `{"a":1e999999999}`, "", "holds a number that is too large, at byte 5"},
		{"huge number", strings.Repeat("9", 5000), "", "holds a number that is too large, at byte 0"},
		{"leading zero", `01`, "", "must be one JSON value: more text follows at byte 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, bad := Decode([]byte(c.text))
			if bad == nil {
				t.Fatalf("accepted as %v", v)
			}
			if diff := cmp.Diff(Fault{c.pointer, c.message}, *bad); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, bad := Decode([]byte(deep(MaxDepth))); bad != nil {
		t.Errorf("%d levels: %v", MaxDepth, bad)
	}
	if v, bad := Decode([]byte(" {\"a\":[1e1000, \"{\"]} \n")); bad != nil || !cmp.Equal(v, any(map[string]any{"a": []any{json.Number("1e1000"), "{"}})) {
		t.Errorf("%v, %v", v, bad)
	}
}

// FuzzDecode holds the strict reader against the standard library's.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{text, `{"a":1,"a":2}`, `"\ud800"`, `[1e5,-0,0.5E-3]`, `{"a":[{}]}x`, "\xef\xbb\xbf{}", `"\`, `[`, `{"`, `-`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// The scanner must survive what is not JSON at all.
		s := Source(data)
		s.Any(s.At(0))
		s.Compact(nil, s.At(0))
		for range s.Members(s.At(0)) {
		}
		for range s.Elements(s.At(0)) {
		}
		v, bad := Decode(data)
		if bad != nil {
			return
		}
		var want any
		d := json.NewDecoder(strings.NewReader(string(data)))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatalf("accepted what is not JSON: %v", err)
		}
		if !reflect.DeepEqual(v, want) {
			t.Fatalf("%v, want %v", v, want)
		}
	})
}
