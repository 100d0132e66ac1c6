// SPDX-License-Identifier: Apache-2.0

package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func valid(text []byte) error {
	var s Scanner
	s.Reset(text)
	s.Skip()
	s.End()
	return s.Err()
}

func TestWhatIsJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, ` [ ] `, `{"a":1,"b":[true,false,null,-0.5e+10,"x"]}`, `""`, `"\u00e9\/\"\\\b\f\n\r\t"`, `0`, `-0`, `1e5`, `[[[{}]]]`,
		`"12345678"`, `"1234567\""`, `"` + strings.Repeat("é", 40) + `"`, "\"a\u2028b\"", `{"a" : {"b" : [ 1 , 2 ] } }`,
	} {
		if err := valid([]byte(text)); err != nil || !json.Valid([]byte(text)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		``, ` `, `{`, `[`, `"`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,1]`, `{,}`, `[1 2]`, `{"a":1 "b":2}`, `nul`, `tru`, `01`, `-`, `1.`, `1e`, `+1`, `.5`,
		`"\x"`, `"\u12g4"`, `"\u12`, "\"a\nb\"", "\"a\x00b\"", `{}{}`, `{} x`, `{1:2}`, `'a'`, `"1234567`, `"abcdefgh\`, `{"a":1]`, `[1}`, `Infinity`, `// x`,
	} {
		if err := valid([]byte(text)); !errors.Is(err, ErrInvalid) || json.Valid([]byte(text)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheDepthIsBounded(t *testing.T) {
	if err := valid([]byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))); err != nil {
		t.Error(err)
	}
	if err := valid([]byte(strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1))); err == nil || !strings.Contains(err.Error(), "too deep") {
		t.Error(err)
	}
}

func TestMembersAreFoundWhereTheyStand(t *testing.T) {
	text := []byte(`{ "a" : "x\ny", "n" : 12, "f": 1.5, "big": 1e3, "\u0062": true, "skip": {"a": "not this"}, "list": ["p", {"q": 1}, "r"], "null" : null }`)
	var s Scanner
	s.Reset(text)
	got := map[string]any{}
	s.Object(func(key []byte) {
		switch name := string(key); name {
		case "a":
			at, ok := s.Text()
			got[name] = DecodeString(s.Bytes(at))
			if !ok || string(s.Bytes(at)) != `x\ny` {
				t.Errorf("a is %q", s.Bytes(at))
			}
		case "n", "f", "big":
			got[name] = s.Int()
		case "b":
			got[name] = s.True()
		case "list":
			var list []string
			s.Array(func() {
				if at, ok := s.Text(); ok {
					list = append(list, string(s.Bytes(at)))
				}
			})
			got[name] = strings.Join(list, " ")
		case "null":
			if s.Kind() != 'n' { // looking is not taking
				t.Error("null is not seen")
			}
			got[name] = nil
		}
	})
	if !s.End() {
		t.Fatal(s.Err())
	}
	want := map[string]any{"a": "x\ny", "n": int64(12), "f": int64(0), "big": int64(1000), "b": true, "list": "p r", "null": nil}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

func TestDecode(t *testing.T) {
	for raw, want := range map[string]string{
		`plain`: "plain", `\"\\\/\b\f\n\r\t`: "\"\\/\b\f\n\r\t", `\u00e9`: "é", `\ud83d\ude80`: "🚀", `\ud83d`: "\ufffd", `\ud83dx`: "\ufffdx",
		`\ude80\ud83d`: "\ufffd\ufffd", "\xff": "\ufffd", "a\xe2\x80": "a\ufffd\ufffd", "\u2028": "\u2028", `\u0000`: "\x00", `\ud8000udC00`: "\ufffd0udC00",
	} {
		if got := DecodeString([]byte(raw)); got != want {
			t.Errorf("%q is %q, want %q", raw, got, want)
		}
	}
}

func TestAppendText(t *testing.T) {
	for _, text := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é🚀\u2028"} {
		var back string
		raw := append(AppendText([]byte{'"'}, []byte(text)), '"')
		if err := json.Unmarshal(raw, &back); err != nil || back != text {
			t.Errorf("%q became %s (%v)", text, raw, err)
		}
	}
	if got := string(AppendText(nil, []byte("a\xffb"))); got != "a\ufffdb" {
		t.Errorf("%q", got)
	}
}

// FuzzScan holds the scanner against encoding/json, which is stricter in one thing only: it takes nothing deeper, and
// this takes any bytes as text.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2,{"b":"\u00e9\n"}]}`, `[1.5e-3,-0,"` + strings.Repeat("x", 20) + `"]`, `{"a":1,}`, "\"\xff\"", `"\ud83d"`, `{"a" :"b" , "c":{} }`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := valid(text)
		if err != nil && strings.Contains(err.Error(), "too deep") {
			return
		}
		if (err == nil) != json.Valid(text) {
			t.Fatalf("%q: %v, but encoding/json says %v", text, err, json.Valid(text))
		}
		if err != nil {
			return
		}
		var s Scanner
		s.Reset(text)
		if s.Kind() == '"' {
			var want string
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			got := Decode(nil, s.Bytes(s.String()))
			if !utf8.Valid(got) || !bytes.Equal(got, []byte(want)) {
				t.Fatalf("%q is %q, want %q", text, got, want)
			}
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	text := []byte(`{"type":"user","message":{"content":"` + strings.Repeat(`func main() {\n\tfmt.Println(\"hello\")\n}\n`, 200) + `"},"n":[1,2,3]}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := valid(text); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWhatShouldBe: a value of another kind than it should be is passed over, and is nothing.
func TestWhatShouldBe(t *testing.T) {
	for value, want := range map[string]string{`"a\"b"`: `word a\"b`, `7`: "", `null`: "", `{"a":1,"b":[2]}`: "member a member b", `[1,{"a":2}]`: "element element", `""`: "word "} {
		var got []string
		var s Scanner
		s.Reset([]byte(value))
		if w := s.Word(); w != nil {
			got = append(got, "word "+string(w))
		}
		if !s.End() {
			t.Errorf("%s: %v", value, s.Err())
		}
		s.Reset([]byte(value))
		s.Members(func(key []byte) { got = append(got, "member "+string(key)) })
		if !s.End() {
			t.Errorf("%s: %v", value, s.Err())
		}
		s.Reset([]byte(value))
		s.Elements(func() { got = append(got, "element") })
		if !s.End() {
			t.Errorf("%s: %v", value, s.Err())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is %q, want %q", value, got, want)
		}
	}
}

func TestBlank(t *testing.T) {
	for raw, want := range map[string]int{``: 0, `a`: 0, ` \n\t\r a`: 8, `\u0020\ufeff`: 12, "\ufeff ": 4, `\\n`: 0} {
		if got := Blank([]byte(raw), 0); got != want {
			t.Errorf("%q: %d, want %d", raw, got, want)
		}
	}
	if got := Blank([]byte("a  b"), 1); got != 3 {
		t.Errorf("%d", got)
	}
}

// TestPlain: what two writers escape in their own ways is the same text, and places in it are found again.
func TestPlain(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`plain`, `plain`}, {``, ``}, {`a\nb\"c\\d`, `a\nb\"c\\d`}, {`\u003ca\u003E`, `<a>`}, {`<\/a>`, `</a>`}, {`\u0075ser`, `user`},
		{`\u0022\u005c\u000a`, `\"\\\n`}, {`\\u003c`, `\\u003c`}, {`\ud83d\ude00x`, `😀x`}, {`\ud83dx`, "\ufffdx"}, {`é\/é`, `é/é`}, {`\\\/`, `\\/`},
	} {
		got := Plain([]byte(c.raw))
		if string(got) != c.want {
			t.Errorf("%s: %s", c.raw, got)
		}
		if whole := Place([]byte(c.raw), len(got)); whole != len(c.raw) || Place([]byte(c.raw), 0) != 0 {
			t.Errorf("%s ends at %d", c.raw, whole)
		}
	}
	raw := []byte(`\n\u003ctag\u003e \/x`)
	for want, at := range map[string]int{`\u003ctag\u003e \/x`: 2, `tag\u003e \/x`: 3, ` \/x`: 7, `x`: 9} {
		if got := string(raw[Place(raw, at):]); got != want {
			t.Errorf("%d: %s", at, got)
		}
	}
	var s Scanner
	s.Reset([]byte(`"\u0075ser"`))
	if got := string(s.Word()); got != "user" {
		t.Errorf("a word is %q", got)
	}
}
