// SPDX-License-Identifier: Apache-2.0

package jq

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

func run(t testing.TB, source, body string) (string, error) {
	t.Helper()
	f, err := Compile(source)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	got, err := f.Run(t.Context(), []byte(body))
	return string(got), err
}

func TestResults(t *testing.T) {
	const body = `{"id":9007199254740993,"big":123456789012345678901234567890,"x":1.10,"huge":1e400,"cards":[{"id":"A","n":3,"tags":["x","<y>"]},{"id":"B","n":1,"tags":[]}]}`
	for _, tt := range [][2]string{
		{".", `{"big":123456789012345678901234567890,"cards":[{"id":"A","n":3,"tags":["x","<y>"]},{"id":"B","n":1,"tags":[]}],"huge":1e400,"id":9007199254740993,"x":1.10}`},
		{".id", `9007199254740993`},
		{".big + 1", `123456789012345678901234567891`},
		{".id * .id", `81129638414606699710187514626049`},
		{"[.id, .big] | map(. - 1)", `[9007199254740992,123456789012345678901234567889]`},
		{".id == 9007199254740992", `false`},
		{".id | tojson", `"9007199254740993"`},
		{".x, .huge", `[1.10,1e400]`},
		{".cards[].id", `["A","B"]`},
		{".cards[0].id", `"A"`},
		{".cards | map({id, n})", `[{"id":"A","n":3},{"id":"B","n":1}]`},
		{"empty", `null`},
		{".cards[] | select(.id == \"Z\")", `null`},
		{"null", `null`},
		{"[.cards[] | select(.n > 1) | .id]", `["A"]`},
		{".cards | sort_by(.n) | map(.id) | join(\", \")", `"B, A"`},
		{"\"\\(.cards | length) cards: \\(.cards[0].tags)\"", `"2 cards: [\"x\",\"<y>\"]"`},
		{".cards | [.[].tags[]] | @csv", `"\"x\",\"<y>\""`},
		{".cards | group_by(.n > 2) | map(length)", `[1,1]`},
		{".cards |= map(.n) | .cards | add", `4`},
		{"add(.cards[].n)", `4`},
		{".cards | map(.tags) | transpose", `[["x",null],["<y>",null]]`},
		{"\"ab\" * 2", `"abab"`},
		{"3 as $x | .cards | map(.n * $x)", `[9,3]`},
		{"del(.cards) | keys", `["big","huge","id","x"]`},
		{".cards[0] | to_entries | map(.key)", `["id","n","tags"]`},
		{"[paths] | length", `15`},
		{"def twice: . * 2; .cards | map(.n | twice)", `[6,2]`},
		{".cards | map(.id) | index(\"B\")", `1`},
		{".cards | map(.n) - [1]", `[3]`},
		{".cards[0].tags | contains([\"x\"])", `true`},
		{"setpath([\"a\", 1]; 2) | .a", `[null,2]`},
		{".cards[0].n += 1 | .cards[0].n", `4`},
		{"[limit(3; repeat(1))]", `[1,1,1]`},
		{"[.cards[] | .id | test(\"a\"; \"i\")]", `[true,false]`},
		{"try error(\"x\") catch .", `"x"`},
		{"reduce .cards[] as $c (0; . + $c.n)", `4`},
		{".cards[-1].id", `"B"`},
		{"[.[\"x\"], .cards[0:1][0].id]", `[1.10,"A"]`},
		{"first(.cards[] | path(.id))", `["id"]`},
		{"[.cards[] | .tags | length as $n | $n]", `[2,0]`},
		{". as {$id} | $id", `9007199254740993`},
		{"[.cards[] | .n + 1]", `[4,2]`},
		{".cards[0].tags + [\"z\"]", `["x","<y>","z"]`},
		{"{a: 1} + {b: 2}", `{"a":1,"b":2}`},
		{"null + 1", `1`},
		{"\"a,b\" / \",\"", `["a","b"]`},
		{"7 / 2", `3.5`},
		{"1 + 2 * 3", `7`},
		{"[(1, 2) + (10, 20)]", `[11,12,21,22]`},
		{"[(1, 2) * (10, 20)]", `[10,20,20,40]`},
		{"fromstream(tostream) | .id", `9007199254740993`},
		{"INDEX(.cards[]; .id) | keys", `["A","B"]`},
		{"[IN(1, 2)]", `[false]`},
		{".cards | map(.id) | unique | map(ascii_downcase)", `["a","b"]`},
		{"\"2026-01-02T03:04:05Z\" | fromdate", `1767323045`},
	} {
		if got, err := run(t, tt[0], body); err != nil || got != tt[1] {
			t.Errorf("%s: %s, %v; want %s", tt[0], got, err, tt[1])
		}
	}
}

// TestRefused: what is wrong with an expression itself is known before anything is sent.
func TestRefused(t *testing.T) {
	for _, tt := range [][2]string{
		{"", "empty"}, {"  ", "empty"}, {".a[", "ends too early"}, {".a b", `"b" is not expected`}, {"nothing", "nothing/0"}, {"$x", "$x"},
		{"$ENV", "$ENV is not available"}, {"$ENV.HOME", "not available"}, {"env", "not available"}, {".a | [env.HOME]", "not available"},
		{"input", "not available"}, {"[inputs]", "not available"}, {"debug", "not available"}, {"debug(\"x\")", "not available"}, {"stderr", "not available"},
		{"input_filename", "not available"}, {"\"\\(env)\"", "not available"}, {"def f: env; f", "not available"}, {"{a: env}", "not available"},
		{"if env then 1 else 2 end", "not available"}, {". as {a: $x} | reduce env as $y (0; 1)", "not available"},
		{"import \"a\" as a; .", "modules"}, {"include \"a\"; .", "modules"}, {"modulemeta", "not available"}, {"get_search_list", "not available"},
		{"halt", "not available"}, {"halt_error", "not available"}, {".a *= 2", "|= . * x"}, {".[536870911] = 1", "index"},
		{strings.Repeat("a", maxSource+1), "over 4000"},
	} {
		if _, err := Compile(tt[0]); err == nil || !strings.Contains(err.Error(), tt[1]) {
			t.Errorf("%.50s: %v, want %q", tt[0], err, tt[1])
		}
	}
}

// TestFails: a run that fails says why, and quotes little.
func TestFails(t *testing.T) {
	for _, tt := range [][3]string{
		{".a.b", `{"a":1}`, "expected an object"},
		{".[]", `7`, "cannot iterate"},
		{"error", `"my words"`, "my words"},
		{"error({a: 1})", `1`, "a"},
		{".", `{"a":`, "not JSON"},
		{".a | tonumber", `{"a":"` + strings.Repeat("x", 3000) + `"}`, "tonumber"},
		{".a | tonumber", `{"a":"` + strings.Repeat("1", 5000) + `"}`, "too large"},
		{".a | gsub(\"\"; \"yy\")", `{"a":"` + strings.Repeat("a", 9000) + `"}`, "too large"},
		{".a | [match(\"a\"; \"g\")] | length", `{"a":"` + strings.Repeat("a", 200_000) + `"}`, "too large"},
		{"error([limit(100000; repeat(\"xxxxxxxx\"))])", `1`, "error of its own"},
	} {
		if got, err := run(t, tt[0], tt[1]); err == nil || !strings.Contains(err.Error(), tt[2]) || len(err.Error()) > 1000 {
			t.Errorf("%s: %s, %v; want %q", tt[0], got, err, tt[2])
		}
	}
}

// TestBounded: whatever an expression does, it ends soon, and the process stays small.
func TestBounded(t *testing.T) {
	const body = `{"a":[1,2,3],"s":"x"}`
	for _, source := range []string{
		"repeat(.)", "range(1e12)", "[range(1e12)]", "[repeat(1)]", "last(range(1e12))", "def f: f; f", "def f: [f]; f", "def f: f | f; f", "recurse(.)", "until(false; .)", "while(true; .)",
		"reduce range(1e12) as $i (0; . + $i)", "reduce range(60) as $i (1; [., .])", "reduce range(60) as $i (1; {a: ., b: .})",
		"reduce range(60) as $i (1; [., .]) | tojson", "reduce range(60) as $i (1; [., .]) | tostring", "reduce range(60) as $i (1; [., .]) | @text", "reduce range(60) as $i (1; [., .]) | \"\\(.)\"",
		"reduce range(60) as $i (1; [., .]) | flatten", "(reduce range(60) as $i (1; [., .])) as $x | (reduce range(60) as $i (1; [., .])) as $y | $x == $y",
		"(reduce range(60) as $i (1; [., .])) as $x | [$x, (reduce range(60) as $i (1; [., .]))] | unique", "reduce range(60) as $i (1; [., .]) | [..] | length",
		"reduce range(60) as $i (\"x\"; . + .)", "\"x\" * 2000000000", "2000000000 * \"x\"", "reduce range(40) as $i (\"x\"; . * 2) | length", "reduce range(60) as $i ([1]; . + .)",
		"reduce range(1e9) as $i (10; . * .)", "[range(100000)] + [range(100000) | []] | transpose", "(\"x\" * 1000000) as $s | [range(100000) | $s] | join(\"\")",
		"(\"x\" * 1000000) as $s | [range(100000) | \"\"] | join($s)", "(\"x\" * 1000000) as $s | [range(100000) | $s] | add", "(\"x\" * 1000000) as $s | add(range(100000) | $s)",
		"(\"x\" * 1000000) as $s | [range(100000) | $s] | tojson", "(\"x\" * 1000000) as $s | [range(100000) | $s]", "[range(100000)] as $x | $x - ($x | map(. + 100000))",
		"[range(200000)] as $x | $x | indices($x | .[100000:])", "536870911 as $i | null | .[$i] = 1", "[null] | setpath([536870911]; 1)", "(5e8 | floor) as $i | .a[$i] = 1",
		"fromstream([[536870911], 1], [[0]])", "[combinations(100)]", "[[range(10)], [range(10)], [range(10)], [range(10)], [range(10)], [range(10)], [range(10)], [range(10)]] | [combinations]",
		"path(repeat(.))", "[limit(1e12; repeat(.a))]", "error(reduce range(60) as $i (1; [., .]))", "try repeat(.) catch .", "try error(reduce range(60) as $i (1; [., .])) catch tojson",
		"reduce range(60) as $i (1; [., .]) | test(\"x\")", "(reduce range(60) as $i (1; [., .])) as $x | $x | contains($x)", "INDEX(1; reduce range(60) as $i (1; [., .]))",
		"(reduce range(60) as $i (1; [., .])) as $x | IN($x; $x)", "limit(1; range(1e12) | select(. < 0))", "[.a | .. ] | repeat(. + .)", "now | strftime(\"%999999999d\")",
		"\"x\" * 1000000 | [scan(\"(x+x+)+y\")]", "(\"x\" * 16000000) | gsub(\"x\"; \"yyyyyyyyyyyyyyyyyyyyyyyy\")", "[splits(\"\")] | repeat(.)", "(\"x\" * 16000000) | explode", "(\"x\" * 16000000) / \"\"", "reduce range(60) as $i ({s: \"x\"}; .s += .s)", "first(repeat(empty))",
	} {
		t.Run(source, func(t *testing.T) {
			f, err := Compile(source)
			if err != nil {
				t.Fatal(err)
			}
			if source != "repeat(.)" { // one shows the real limit
				f.limit = 100 * time.Millisecond
			}
			runtime.GC()
			before := heap()
			peak, stop := make(chan uint64), make(chan struct{})
			go func() {
				most := uint64(0)
				for {
					most = max(most, heap())
					select {
					case <-stop:
						peak <- most
						return
					case <-time.After(time.Millisecond):
					}
				}
			}()
			begin := time.Now()
			got, err := f.Run(t.Context(), []byte(body))
			took := time.Since(begin)
			close(stop)
			if grown := int64(<-peak) - int64(before); took > timeLimit+grace+2*time.Second || grown > 3*memoryLimit || len(got) > MaxOutput+2 {
				t.Errorf("took %v and %d MiB, gave %d bytes, %v", took, grown>>20, len(got), err)
			} else if testing.Verbose() {
				t.Logf("%v, %d MiB: %.60s, %v", took.Round(time.Millisecond), grown>>20, got, err)
			}
		})
	}
	begin := time.Now() // all steps have ended, or do soon
	for len(places) > 0 && time.Since(begin) < 20*time.Second {
		runtime.Gosched()
	}
	if len(places) > 0 {
		t.Errorf("%d runs have not ended", len(places))
	}
}

// TestCancelled: the caller's end is the run's.
func TestCancelled(t *testing.T) {
	f, err := Compile("last(range(1e12))")
	if err != nil {
		t.Fatal(err)
	}
	over := errors.New("cancelled by the client")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	if _, err := f.Run(ctx, []byte("1")); err == nil {
		t.Error("ran")
	}
	if _, err := f.Run(t.Context(), make([]byte, MaxInput+1)); err == nil || !strings.Contains(err.Error(), "over 16777216 bytes") {
		t.Error(err)
	}
}

func FuzzRun(f *testing.F) {
	for _, source := range []string{".", ".a[0]", "[.[]|tojson]", "reduce range(60) as $i (1;[.,.])|tojson", ".a|=map(.*2)", `"\(.)"`, "@csv", "path(..)", "try error(.) catch .", "def f(x): x; f(.a)", "if .a then 1 else 2 end", ". as [$a] ?// $a | $a", "label $x | break $x", "foreach .a[] as $x (0; .+$x; [.])", "{(.s):1}", ".a[1:]", "limit(3;repeat(.))", "{a:env}"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		filter, err := Compile(source)
		if err != nil {
			return
		}
		begin := time.Now()
		got, err := filter.Run(t.Context(), []byte(`{"a":[1,2,{"b":"c"}],"s":"x"}`))
		if took := time.Since(begin); took > timeLimit+grace+2*time.Second || len(got) > MaxOutput+2 {
			t.Errorf("%q took %v and gave %d bytes, %v", source, took, len(got), err)
		}
	})
}

func BenchmarkRun(b *testing.B) {
	body := []byte(`{"cards":[` + strings.TrimSuffix(strings.Repeat(`{"id":"SHOP-1","title":"Mend the checkout","n":7,"tags":["a","b"]},`, 800), ",") + `]}`)
	f, err := Compile(`.cards | map(select(.n > 3) | {id, title})`)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Run(b.Context(), body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile(`.cards | map(select(.n > 3) | {id, title})`); err != nil {
			b.Fatal(err)
		}
	}
}
