// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"bytes"
	"strings"

	"github.com/fiftyarms/platform/internal/redact/char"
)

// Placeholder tells whether a value only stands for a credential: a variable, an example, a mask.
func Placeholder(v []byte) bool {
	if len(v) == 0 {
		return true
	}
	if reference(v) || masked(v) {
		return true
	}
	var room [64]byte
	low := append(room[:0], v[:min(len(v), len(room))]...)
	for i, c := range low {
		if char.Upper(c) {
			low[i] = c | 0x20
		}
	}
	for _, word := range examples {
		if bytes.Contains(low, word) {
			return true
		}
	}
	return false
}

// What holds one of these was made up to show where a credential goes.
var examples = list("example your- your_ yourtoken yourkey yourapi yoursecret yourpass xxxxxx placeholder insert- insert_ replace- replace_" +
	" replaceme redacted abcdefghijkl dummy notareal not-a-real fakefake goes-here goes_here ****")

// reference tells whether a value is fetched from somewhere.
func reference(v []byte) bool {
	switch v[0] {
	case '$':
		return len(v) == 1 || v[1] == '{' || v[1] == '(' || v[1] == '_' || !char.Digit(v[1]) && bytes.IndexByte(v[1:], '$') < 0 && (word(v[1:]) || char.Upper(v[1]) && bytes.IndexByte(v, '/') > 0)
	case '<':
		return v[len(v)-1] == '>' || bytes.IndexByte(v, '>') < 0 && len(v) < 40
	case '{':
		return len(v) > 1 && (v[1] == '{' || v[1] == '%' || v[len(v)-1] == '}' && plainWord(v[1:len(v)-1]))
	case '%':
		return len(v) > 2 && v[len(v)-1] == '%' || len(v) == 2 || len(v) > 2 && !char.Hex(v[1]) || len(v) > 2 && !char.Hex(v[2])
	case '[':
		return v[len(v)-1] == ']'
	case '#':
		return len(v) > 1 && v[1] == '{'
	case '(':
		return true
	case '\\': // <, as JSON in a string has it
		return bytes.HasPrefix(bytes.TrimLeft(v, `\`), []byte("u003c"))
	}
	return bytes.Contains(v, []byte("${")) || bytes.Contains(v, []byte("$(")) || bytes.Contains(v, []byte("{{")) || bytes.Contains(v, []byte("#{")) ||
		bytes.Contains(v, []byte("{}")) || bytes.Contains(v, []byte("{0}")) || bytes.HasSuffix(v, []byte("%s"))
}

// word tells whether all of v is as a name is written.
func word(v []byte) bool {
	for _, c := range v {
		if !char.Alnum(c) && c != '_' {
			return false
		}
	}
	return true
}

// masked tells whether a value is one character again and again, or ends in dots.
func masked(v []byte) bool {
	if bytes.HasSuffix(v, []byte("...")) || bytes.HasSuffix(v, []byte("…")) || bytes.HasPrefix(v, []byte("...")) {
		return true
	}
	var seen [256]bool
	kinds := 0
	for _, c := range v {
		if c != '-' && c != '_' && !seen[c] {
			seen[c] = true
			kinds++
		}
	}
	return kinds <= 1 && len(v) > 2 || kinds == 0
}

// Run tells whether most of v is one character that people fill in, again and again: a placeholder with a true prefix.
func Run(v []byte) bool {
	n, longest := 1, 1
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1] || !filler[v[i]] {
			n = 1
		} else if n++; n > longest {
			longest = n
		}
	}
	return longest >= 8 && 2*longest > len(v)
}

var filler = [256]bool{'x': true, 'X': true, '*': true, '.': true, '0': true, '1': true, 'a': true, 'A': true}

// Random tells whether a value looks as if no person had thought of it: it is long, and mixes kinds of characters more often
// than names do.
func Random(v []byte) bool {
	if len(v) < 12 {
		return false
	}
	var digits, uppers, lowers, others, changes int
	last := byte(0)
	for _, c := range v {
		var kind byte
		switch {
		case char.Digit(c):
			digits++
			kind = 1
		case char.Upper(c):
			uppers++
			kind = 2
		case char.Lower(c):
			lowers++
			kind = 3
		case c <= ' ' || c >= 0x7f:
			return false
		default:
			others++
			kind = 4
		}
		if kind != last {
			changes++
		}
		last = kind
	}
	switch {
	case others*3 > len(v), digits == len(v), lowers+uppers == len(v) && (uppers == 0 || lowers == 0):
		return false
	case digits == 0:
		return len(v) >= 20 && others*8 < len(v) && changes*5 >= len(v)*2
	}
	return changes*6 >= len(v)
}

// Mixed tells whether a value is no word: it has letters, and something else too.
func Mixed(v []byte) bool {
	letters, others := 0, 0
	for _, c := range v {
		switch {
		case char.Lower(c) || char.Upper(c):
			letters++
		case c <= ' ':
			return false
		case c != '-' && c != '_' && c != '.' && c != ',':
			others++
		}
	}
	return len(v) >= 6 && others > 0 && letters > 0 && letters+others > 4
}

// Quoted tells whether a value in quotes can be a credential of the kind that its name says. Sentences and code are none.
func Quoted(v []byte, k Kind) bool {
	least := 6
	if k == Password {
		least = 3
	}
	if len(v) < least {
		return false
	}
	if bytes.IndexByte(v, ' ') >= 0 || bytes.IndexByte(v, '\n') >= 0 {
		return k == Password && !sentence(v)
	}
	if call(v) || unit(v) || operator(v) || Path(v) || k != Password && Code(v) || (v[0] == '#' || v[0] == '.') && plainWord(v[1:]) {
		return false
	}
	if plainWord(v) {
		return k == Password && !code[string(bytes.ToLower(v))] || k == Secret && len(v) >= 8 && (Random(v) || chosen(bytes.ToLower(v)) && !code[string(bytes.ToLower(v))])
	}
	return true
}

// sentence tells whether v is words for people.
func sentence(v []byte) bool {
	fields := bytes.Fields(v)
	plain := 0
	for _, f := range fields {
		if plainWord(bytes.TrimRight(f, ".,:;!?'\"()")) {
			plain++
		}
	}
	return len(fields) > 1 && plain*2 >= len(fields)
}

// plainWord tells whether all of v is letters, as of a word or of a name in code.
func plainWord(v []byte) bool {
	for _, c := range v {
		if !char.Upper(c) && !char.Lower(c) && c != '_' && c != '-' && c != '.' && c != ':' {
			return false
		}
	}
	return len(v) > 0
}

// A Setting is what stands around a value that nothing quotes.
type Setting struct {
	Tight bool // nothing is around the sign before it, as shells and settings have it
	Last  bool // it ends its line
	Prose bool // a space and a word follow
}

// Bare tells whether a value that nothing quotes can be a credential of the kind that its name says.
func Bare(v []byte, k Kind, at Setting) bool {
	lower := bytes.ToLower(v)
	switch {
	case len(v) < 3, len(v) == 3 && !(k == Password && at.Tight):
		return false
	case code[string(bytes.TrimRight(lower, "?!"))], call(v), Path(v), float(v), unit(v), bytes.IndexByte([]byte("()[{"), v[0]) >= 0:
		return false
	case (v[0] == '&' || v[0] == '*') && name(v), v[0] == '!' && plainWord(v[1:]): // a place in memory, a tag
		return false
	case Number(bytes.Trim(v, "-.")):
		return k == Secret && (len(v) >= 17 || at.Tight && len(v) == 16) || k == Password && at.Tight && at.Last && len(v) >= 4
	case plainWord(v) && k == Password:
		return at.Last && (at.Tight || chosen(v))
	case plainWord(v):
		return k == Secret && (Random(v) || at.Tight && at.Last && chosen(lower))
	case len(v) < 6 && k != Password:
		return false
	}
	return !name(v) || Random(v) || Mixed(v) && (at.Tight || k == Password && (at.Last || at.Prose))
}

// chosen tells whether a word is one that a person takes for a password, and not the name of a variable.
func chosen(v []byte) bool {
	for _, c := range v {
		if !char.Lower(c) && c != '_' && c != '-' {
			return false
		}
	}
	for _, part := range variables {
		if bytes.Contains(v, part) {
			return false
		}
	}
	return len(v) >= 6
}

// What the names of variables have.
var variables = list("pass pwd secret token key user input get env conf value param arg cred auth hash field request" +
	" var session login account shared test mock fake name type default string none null true false")

func list(words string) (all [][]byte) {
	for _, w := range strings.Fields(words) {
		all = append(all, []byte(w))
	}
	return all
}

// Number tells whether all of v is digits.
func Number(v []byte) bool {
	for _, c := range v {
		if !char.Digit(c) {
			return false
		}
	}
	return len(v) > 0
}

// Named tells whether v is a name or a word, and no credential.
func Named(v []byte) bool { return plainWord(v) && len(v) < 20 || code[string(bytes.ToLower(v))] }

// WordsOnly tells whether a secret of some shape is words that happen to have it: letters alone, of which few are capitals, as
// in the names of a program.
func WordsOnly(v []byte) bool {
	v = bytes.TrimLeft(v, "abcdefghijklmnopqrstuvwxyz_-.")
	small, capitals := 0, 0
	for _, c := range v {
		switch {
		case char.Digit(c):
			return false
		case char.Lower(c):
			small++
		case char.Upper(c):
			capitals++
		}
	}
	return small == 0 && capitals == 0 || small > 0 && 4*capitals <= small+capitals
}
