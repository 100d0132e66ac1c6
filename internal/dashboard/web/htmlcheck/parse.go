// SPDX-License-Identifier: Apache-2.0

// Package htmlcheck is for tests: it reads a page and says which of the rules for our pages it breaks. The rules are
// what a person with a keyboard, a screen reader or a hostile title in front of them depends on, so they are held
// against every page in every state rather than case by case.
package htmlcheck

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Node is an element, or a run of text (Tag "").
type Node struct {
	Tag      string
	Attr     map[string]string
	Children []*Node
	Parent   *Node
	text     string
}

// void elements have no end.
var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// Parse reads a page as our templates write them: every element that can be closed is.
func Parse(page string) (*Node, error) {
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.Entity = false, xml.HTMLEntity
	root := &Node{}
	at := root
	for {
		token, err := d.RawToken() // Token would close by itself what a template left open
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			n := &Node{Tag: strings.ToLower(t.Name.Local), Attr: map[string]string{}, Parent: at}
			for _, a := range t.Attr {
				if _, twice := n.Attr[a.Name.Local]; twice {
					return nil, fmt.Errorf("<%s> has %s twice", n.Tag, a.Name.Local)
				}
				n.Attr[a.Name.Local] = a.Value
			}
			at.Children = append(at.Children, n)
			if !slices.Contains(void, n.Tag) {
				at = n
			}
		case xml.EndElement:
			name := strings.ToLower(t.Name.Local)
			if slices.Contains(void, name) {
				continue
			}
			if at.Tag != name {
				return nil, fmt.Errorf("</%s> where <%s> is open", name, at.Tag)
			}
			at = at.Parent
		case xml.CharData:
			at.Children = append(at.Children, &Node{Parent: at, text: string(t)})
		}
	}
	if at != root {
		return nil, fmt.Errorf("<%s> is never closed", at.Tag)
	}
	return root, nil
}

// All finds every element below n, in order, that ok accepts.
func (n *Node) All(ok func(*Node) bool) (found []*Node) {
	for _, c := range n.Children {
		if c.Tag != "" && ok(c) {
			found = append(found, c)
		}
		found = append(found, c.All(ok)...)
	}
	return found
}

// Tags finds every element below n with one of these tags, in order.
func (n *Node) Tags(tags ...string) []*Node {
	return n.All(func(c *Node) bool {
		for _, tag := range tags {
			if c.Tag == tag {
				return true
			}
		}
		return false
	})
}

// With finds every element below n whose attribute has this value.
func (n *Node) With(attr, value string) []*Node {
	return n.All(func(c *Node) bool {
		v, ok := c.Attr[attr]
		return ok && v == value
	})
}

// Text is what n says, its white space folded as a browser folds it.
func (n *Node) Text() string { return strings.Join(strings.Fields(n.raw()), " ") }

// TextOutside is Text without what elements with this tag say.
func (n *Node) TextOutside(tag string) string { return strings.Join(strings.Fields(n.raw(tag)), " ") }

func (n *Node) raw(but ...string) string {
	if n.Tag == "" && n.Parent != nil {
		return n.text
	}
	var b strings.Builder
	for _, c := range n.Children {
		if !slices.Contains(but, c.Tag) || c.Tag == "" {
			b.WriteString(c.raw(but...))
		}
	}
	return b.String()
}

// within finds the nearest element around n with this tag, or nil.
func (n *Node) within(tag string) *Node {
	for at := n.Parent; at != nil; at = at.Parent {
		if at.Tag == tag {
			return at
		}
	}
	return nil
}
