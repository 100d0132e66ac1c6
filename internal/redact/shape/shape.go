// SPDX-License-Identifier: Apache-2.0

// Package shape matches what credentials look like: a small part of the syntax of regular expressions, matched greedily, from
// left to right and without ever going back, so that a match takes no longer than the text it covers.
package shape

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// MaxLen is how long a match may get, in bytes. What is longer is cut there.
const MaxLen = 64 << 10

// A Shape is a compiled expression.
type Shape struct {
	before  []node // matched backwards from the trigger
	nodes   []node
	trigger []string
	anyCase bool
	next    *Class
}

// A Match is where a shape stands in a text: all of it, and what of it is the secret.
type Match struct{ From, To, SecretFrom, SecretTo int }

type kind uint8

const (
	class kind = iota
	literal
	sequence
	choice
	capture
	wordEdge
)

type node struct {
	kind     kind
	min, max int // how often; max < 0 is as often as there is
	set      *Class
	text     string // of a literal; folded if fold
	fold     bool
	nodes    []node // of a sequence or capture; the branches of a choice
	exact    bool   // the byte behind the last of max must not be of the class
}

// A Class is a set of bytes.
type Class [256]bool

// Compile reads an expression. `@` stands before the literal that triggers it if that is not how it begins; what stands
// before is matched backwards. `\\@` is the character.
func Compile(expression string) (*Shape, error) {
	s := &Shape{}
	before, after := cut(expression)
	var err error
	if before != "" {
		if s.before, err = compile(before); err != nil {
			return nil, err
		}
		for _, n := range s.before {
			if n.kind != class && n.kind != literal {
				return nil, fmt.Errorf("%s: only classes and literals stand before @", expression)
			}
		}
		slices.Reverse(s.before)
	}
	if s.nodes, err = compile(after); err != nil {
		return nil, err
	}
	ends(s.nodes)
	if len(s.before) > 0 {
		ends(s.before)
	}
	s.trigger, s.anyCase = prefixes(s.nodes)
	s.next = following(s.nodes, s.trigger)
	return s, nil
}

// MustCompile is Compile for an expression that is known to be right.
func MustCompile(expression string) *Shape {
	s, err := Compile(expression)
	if err != nil {
		panic(err)
	}
	return s
}

// cut splits an expression at the first @ that is no character of a class, and that no backslash makes one.
func cut(expression string) (before, after string) {
	inClass := false
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '@':
			if !inClass {
				return expression[:i], expression[i+1:]
			}
		}
	}
	return "", expression
}

// ends makes the last class end where its bytes do: of a longer run nothing matches.
func ends(nodes []node) {
	for i := len(nodes) - 1; i >= 0; i-- {
		switch n := &nodes[i]; n.kind {
		case class:
			n.exact = n.max > 1
			return
		case sequence, capture:
			ends(n.nodes)
			return
		case choice:
			for j := range n.nodes {
				ends(n.nodes[j : j+1])
			}
			return
		case literal:
			return
		}
	}
}

// Triggers are the literals of which one begins each match, and whether their case matters not; empty if there is none.
func (s *Shape) Triggers() (list []string, anyCase bool) { return s.trigger, s.anyCase }

// Next are the bytes of which one follows each trigger; "" if it may be any.
func (s *Shape) Next() string {
	if len(s.nodes) < 2 {
		return ""
	}
	var b []byte
	for c := byte('!'); c <= '~'; c++ {
		if s.next == nil || s.next[c] {
			b = append(b, c)
		}
	}
	return string(b)
}

// MayFollow tells whether bytes may follow a trigger, as far as that is known.
func (s *Shape) MayFollow(text []byte) bool {
	if s.next == nil {
		return true
	}
	for _, c := range text {
		if !s.next[c] {
			return false
		}
	}
	return true
}

// Backward tells whether a match may begin before its trigger.
func (s *Shape) Backward() bool { return len(s.before) > 0 }

func compile(expression string) ([]node, error) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	n, err := compileNode(re)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expression, err)
	}
	if n.kind == sequence {
		return n.nodes, nil
	}
	return []node{n}, nil
}

func compileNode(re *syntax.Regexp) (node, error) {
	one := node{min: 1, max: 1}
	switch re.Op {
	case syntax.OpEmptyMatch:
		one.kind = sequence
		return one, nil
	case syntax.OpLiteral:
		one.kind, one.text = literal, string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			one.fold, one.text = true, strings.ToLower(one.text)
		}
		return one, nil
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		one.kind, one.set = class, classOf(re)
		return one, nil
	case syntax.OpWordBoundary, syntax.OpEndText:
		one.kind = wordEdge
		return one, nil
	case syntax.OpCapture:
		one.kind = capture
		return one, one.add(re.Sub)
	case syntax.OpConcat:
		one.kind = sequence
		return one, one.add(re.Sub)
	case syntax.OpAlternate:
		one.kind = choice
		return one, one.add(re.Sub)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		n, err := compileNode(re.Sub[0])
		if err != nil {
			return n, err
		}
		if n.min != 1 || n.max != 1 {
			n = node{kind: sequence, nodes: []node{n}}
		}
		switch re.Op {
		case syntax.OpStar:
			n.min, n.max = 0, -1
		case syntax.OpPlus:
			n.min, n.max = 1, -1
		case syntax.OpQuest:
			n.min, n.max = 0, 1
		default:
			n.min, n.max = re.Min, re.Max
		}
		return n, nil
	}
	return one, fmt.Errorf("%s is not supported", re.Op)
}

func (n *node) add(subs []*syntax.Regexp) error {
	for _, sub := range subs {
		child, err := compileNode(sub)
		if err != nil {
			return err
		}
		n.nodes = append(n.nodes, child)
	}
	return nil
}

func classOf(re *syntax.Regexp) *Class {
	var c Class
	for b := range 256 {
		switch re.Op {
		case syntax.OpAnyChar:
			c[b] = true
		case syntax.OpAnyCharNotNL:
			c[b] = b != '\n'
		default:
			for i := 0; i < len(re.Rune); i += 2 {
				if re.Rune[i] <= rune(b) && rune(b) <= re.Rune[i+1] || b >= 0x80 && re.Rune[i+1] == unicode.MaxRune {
					c[b] = true
				}
			}
		}
	}
	return &c
}
