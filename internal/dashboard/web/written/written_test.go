// SPDX-License-Identifier: Apache-2.0

package written_test

import (
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/dashboard/web/htmlcheck"
	"github.com/fiftyarms/platform/internal/dashboard/web/written"
)

func shown(t *testing.T, source string, level int) string {
	t.Helper()
	var b strings.Builder
	if err := written.HTML(source, level).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// plain says whether a text is shown line by line, as it was written.
func plain(html string) bool { return strings.HasPrefix(html, `<p class="lines">`) }

// bound is the most that a text may become where it is read as Markdown.
func bound(source string) int { return 4*len(source) + 16<<10 }

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"a paragraph keeps its lines", "one\r\ntwo", "<p>one<br>\ntwo</p>\n"},
		{"HTML stays text", "<script>alert(1)</script>\n\nA <b onclick=x>b</b>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p>A &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"},
		{"headings stand below the page's", "# A\n\n### B\n\n###### C\n\n#", "<h3>A</h3>\n<h4>B</h4>\n<h5>C</h5>\n"},
		{"a heading cannot begin too deep", "##### A", "<h3>A</h3>\n"},
		{"a link leads to the web and tells nothing", "[a](https://x.example/)", `<p><a href="https://x.example/" rel="nofollow noreferrer">a</a></p>` + "\n"},
		{"a link without a text says where it leads", "[](https://x.example/)", `<p><a href="https://x.example/" rel="nofollow noreferrer">https://x.example/</a></p>` + "\n"},
		{"an address is a link", "see https://x.example/a", `<p>see <a href="https://x.example/a" rel="nofollow noreferrer">https://x.example/a</a></p>` + "\n"},
		{"no link runs", "[a](javascript:alert%281%29) [b](data:text/html,x) [c](vbscript:x) [d](//x.example) [e](/signout)", "<p>a b c d e</p>\n"},
		{"a picture is a link", "![a cat](https://x.example/cat.png)", `<p><a href="https://x.example/cat.png" rel="nofollow noreferrer">a cat</a></p>` + "\n"},
		{"a picture of this dashboard is shown", "![a cat](/api/uploads/images/00112233445566778899aabbccddeeff \"t\")", `<p><img src="/api/uploads/images/00112233445566778899aabbccddeeff" alt="a cat"></p>` + "\n"},
		{"and of no other address", "![a](/api/uploads/images/00112233445566778899aabbccddeef) ![b](/api/keys) ![c](//x.example/api/uploads/images/00112233445566778899aabbccddeeff) ![d](/api/uploads/images/00112233445566778899aabbccddeeff?x)", "<p>a b c d</p>\n"},
		{"a picture in a link is its text", "[![a](https://x.example/a)](https://x.example/b) ![b ![c](https://x.example/c)](https://x.example/d)",
			`<p><a href="https://x.example/b" rel="nofollow noreferrer">a</a> <a href="https://x.example/d" rel="nofollow noreferrer">b c</a></p>` + "\n"},
		{"nobody sets an id or a class", "## A {#main .top}\n\n```evil\" onload=x\ny\n```", "<h3>A {#main .top}</h3>\n<pre><code>y\n</code></pre>\n"},
		{"what is not seen is written out", "a\u202Eb &#x202E; \u200Bc \x1b[31m", "<p>a⟨U+202E⟩b ⟨U+202E⟩ ⟨U+200B⟩c ⟨U+001B⟩[31m</p>\n"},
		{"a table", "| a | b |\n|---|---|\n| 1 | <i>2 |", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>&lt;i&gt;2</td>\n</tr>\n</tbody>\n</table>\n"},
		{"code keeps its spaces", "x\n\n\tif a {\n\t\tb\n\t}", "<p>x</p>\n<pre><code>if a {\n    b\n}\n</code></pre>\n"},
		{"a long rule under a heading", "A\n" + strings.Repeat("-", 60), "<h3>A</h3>\n"},
		{"nothing", "", ""},
		{"too deep to follow", strings.Repeat("> ", 40) + "x", `<p class="lines">` + strings.Repeat("&gt; ", 40) + "x</p>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shown(t, tt.source, 3); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestHostileTextsAreWhole: the longest texts of the worst kinds make a page that closes what it opens. What grew with
// their square would not end within the time that a test has.
func TestHostileTextsAreWhole(t *testing.T) {
	for _, piece := range []string{
		"[", "![", "](", "[a](", "<", "<a", "*", "**a", "_a_", "`", "> ", "- ", "  - a\n", "1. ", "#", "# a\n", "|", "|a", "a|b\n-|-\n", "&", "&#x202E;",
		"\u202E", "\u0301", "~~", "http://a", "www.", "@a.b", "a\\", "\n\n", "- a\n\n", "[a]: b\n", "[x][x]", "<!--", "<script>", "ﷺ", "W",
		"***a_ ", "~~a_ ", "*_a~ ", "_a* ", "*a*", "_www.1", " a@b.c", "(www.a.b", "`\\|`", "|`\\|`|\n", "-\n", "\"", "&ic;", "[![a](b)](c)", "1. a\n- b\n",
	} {
		source := strings.Repeat(piece, written.Limit/len([]rune(piece)))
		got := shown(t, source, 3)
		if _, err := htmlcheck.Parse(got); err != nil {
			t.Errorf("%q: %v", piece, err)
		}
		if strings.Contains(got, "<script") || strings.ContainsRune(got, '\u202E') {
			t.Errorf("%q comes out as it went in", piece)
		}
		if len(got) > bound(source) && !plain(got) {
			t.Errorf("%q: %d bytes become %d", piece, len(source), len(got))
		}
	}
}

func table(columns, rows int) string {
	return strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" + strings.Repeat("x\n", rows)
}

// TestNothingSmallBecomesLarge: what a parser makes of a text is not bounded by the text. A table's rows are as wide as
// its head, and a reference is written once and used often.
func TestNothingSmallBecomesLarge(t *testing.T) {
	long := "[a]: https://x.example/" + strings.Repeat("y", 50_000)
	tests := []struct {
		name, source string
		plain        bool
	}{
		{"a table as people write them", table(8, 0) + strings.Repeat("| some | words | 12 | 3.5 | no | more | of | them |\n", 400), false},
		{"a long table", "a | b\n-|-\n" + strings.Repeat("some words | and more\n", 1500), false},
		{"a wide table", table(1000, 1000), true},
		{"the widest table", table(10_000, 4990), true},
		{"a wide head alone", table(20_000, 0), true},
		{"a table of one column", "|a|\n|-|\n" + strings.Repeat("x\n", 40_000), true},
		{"a table in a quote", "> " + strings.ReplaceAll(table(1000, 1000), "\n", "\n> "), true},
		{"a table in a list", "- " + strings.ReplaceAll(table(1000, 1000), "\n", "\n  "), true},
		{"a table after text", strings.Repeat("words\n", 100) + table(1000, 1000), true},
		{"a head with marks", strings.ReplaceAll(table(1000, 1000), "|-", "| :-: "), true},
		{"many tables", strings.Repeat(table(20, 20)+"\n", 100), true},
		{"two tables", strings.Repeat(table(20, 20)+"\n", 2), false},
		{"escaped pipes", "|a|\n|-|\n|" + strings.Repeat("`\\|`", 20_000) + "|\n", true},
		{"some escaped pipes", "|a|\n|-|\n|" + strings.Repeat("`\\|`", 20) + "|\n", false},
		{"a long reference", long + "\n\n[a]", false},
		{"a long reference, often", long + "\n\n" + strings.Repeat("[a] ", 900), true},
		{"a long reference of pictures", long + "\n\n" + strings.Repeat("![][a] ", 400), true},
		{"a long reference that is escaped", strings.ReplaceAll(long, "y", "é") + "\n\n[][a] [a] [a]", true},
		{"a long title, often", "[a]: https://x.example/ \"" + strings.Repeat("y", 50_000) + "\"\n\n" + strings.Repeat("[a] ", 900), false},
		{"addresses of mail", strings.Repeat("a@b.c ", 10_000), true},
		{"emphasis as people write it", strings.Repeat("some **words** and *more* in_between\n", 200), false},
		{"emphasis in many paragraphs", strings.Repeat("some **words** and *more*\n\n", 2000), false},
		{"emphasis without end", strings.Repeat("***a_ ", 600), true},
		{"struck out without end", strings.Repeat("~~a ", 1100), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := shown(t, tt.source, 3)
			if plain(got) != tt.plain {
				t.Errorf("plain is %t, want %t", plain(got), tt.plain)
			}
			if most := bound(tt.source); len(got) > most {
				t.Errorf("%d bytes become %d, more than %d", len(tt.source), len(got), most)
			}
			if _, err := htmlcheck.Parse(got); err != nil {
				t.Error(err)
			}
		})
	}
}
