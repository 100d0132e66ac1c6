// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/char"
)

// Code tells whether v is a part of a program, or of a string in one.
func Code(v []byte) bool { return Program(v) || bytes.IndexByte(v, '\\') >= 0 }

// Program tells whether v is something that is called, made or looked up, a path or a number.
func Program(v []byte) bool { return call(v) || Path(v) || float(v) }

// Path tells whether v is where a file is.
func Path(v []byte) bool {
	if bytes.HasPrefix(v, []byte("./")) || bytes.HasPrefix(v, []byte("../")) || bytes.HasPrefix(v, []byte("~/")) {
		return true
	}
	return len(v) > 0 && v[0] == '/' && bytes.Count(v, []byte("/")) >= 2 && !Random(bytes.ReplaceAll(v, []byte("/"), nil))
}

// unit tells whether v is a colour or a number of code.
func unit(v []byte) bool {
	rest, is := bytes.CutPrefix(v, []byte("#"))
	if !is {
		rest, is = bytes.CutPrefix(bytes.ToLower(v), []byte("0x"))
	}
	if !is || len(rest) > 16 {
		return false
	}
	for _, c := range rest {
		if !char.Hex(c) && c != '_' {
			return false
		}
	}
	return true
}

// operator tells whether v begins where a string ended, and is what is added to it.
func operator(v []byte) bool {
	rest := bytes.TrimLeft(v, " \t")
	return len(rest) > 0 && len(rest) < len(v) && bytes.IndexByte([]byte("+.&%,)|"), rest[0]) >= 0
}

// float tells whether v is a number with a point or an exponent.
func float(v []byte) bool {
	points := 0
	for i, c := range v {
		switch {
		case c == '.', c == 'e', c == 'E':
			points++
		case !char.Digit(c) && !((c == '-' || c == '+') && (i == 0 || v[i-1]|0x20 == 'e')):
			return false
		}
	}
	return points > 0 && points < 3
}

// call tells whether v is code: something that is called, or a part of something.
func call(v []byte) bool {
	if open := bytes.IndexAny(v, "([{"); open > 0 && name(v[:open]) {
		return true
	}
	if bytes.HasSuffix(v, []byte("()")) || bytes.HasSuffix(v, []byte("(")) {
		return true
	}
	dot := bytes.IndexByte(v, '.')
	return dot > 0 && name(v) && !(dot <= 3 && bytes.Count(v, []byte(".")) == 1 && Random(v[dot+1:]))
}

// name tells whether v is a name in code, with those of what it is a part of.
func name(v []byte) bool {
	v = bytes.TrimLeft(v, "@#&*!")
	v = bytes.TrimRight(v, ".")
	from, runs := 0, 0
	for i, c := range v {
		switch {
		case c == '.':
			if i == from {
				return false
			}
			from = i + 1
		case char.Digit(c):
			if i == from {
				return false
			}
			if !char.Digit(v[i-1]) {
				runs++
			}
		case !char.Upper(c) && !char.Lower(c) && c != '_' && c != '>' && c != '-' && c != '&' && c != '*' && c != '!':
			return false
		}
	}
	return from < len(v) && runs*6 <= len(v) && v[0] != '-'
}

// What values in code and in descriptions of code are.
var code = set(`string str text bytes byte int integer number bool boolean true false null nil none undefined void any object array list map
	required optional input output value default empty hidden masked enabled disabled password passwd pwd pass secret token key apikey api_key
	self this args config env varchar char inherit file prompt basic bearer digest header query body form json yaml username user name email
	unknown error invalid missing expired revoked valid verified auto manual never always read write admin credentials credential private public
	password1 newpassword oldpassword confirmpassword current_password new_password old_password passwordhash hash encrypted plaintext plain
	sensitive protected todo`)
