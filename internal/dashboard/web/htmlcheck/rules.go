// SPDX-License-Identifier: Apache-2.0

package htmlcheck

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Problems are the rules that a page breaks, in words.
func Problems(page string) []string {
	doc, err := Parse(page)
	if err != nil {
		return []string{err.Error()}
	}
	c := &checker{doc: doc, ids: map[string]*Node{}}
	c.document()
	c.identifiers()
	c.headings()
	c.controls()
	c.forms()
	c.inert()
	c.seen()
	return c.problems
}

type checker struct {
	doc      *Node
	ids      map[string]*Node
	problems []string
}

func (c *checker) want(ok bool, format string, args ...any) {
	if !ok {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

// document holds what a page must have once.
func (c *checker) document() {
	for _, tag := range []string{"html", "title", "main", "h1"} {
		c.want(len(c.doc.Tags(tag)) == 1, "%d <%s>, want one", len(c.doc.Tags(tag)), tag)
	}
	for _, tag := range []string{"title", "h1"} {
		for _, n := range c.doc.Tags(tag) {
			c.want(n.Text() != "", "<%s> is empty", tag)
		}
	}
	for _, n := range c.doc.Tags("html") {
		c.want(n.Attr["lang"] != "", "<html> names no language")
	}
	for _, n := range c.doc.With("name", "viewport") {
		c.want(!strings.Contains(n.Attr["content"], "maximum-scale") && !strings.Contains(n.Attr["content"], "user-scalable"), "the page cannot be zoomed")
	}
	for _, n := range c.doc.Tags("nav") {
		c.want(n.Attr["aria-label"] != "" || n.Attr["aria-labelledby"] != "", "<nav> has no name")
	}
	focusable := c.doc.All(func(n *Node) bool {
		return n.Tag == "a" || n.Tag == "button" || n.Tag == "textarea" || n.Tag == "summary" || n.Tag == "input" && n.Attr["type"] != "hidden"
	})
	c.want(len(focusable) > 0 && focusable[0].Attr["href"] == "#main", "the first thing to reach is no skip link")
}

// identifiers holds that ids are unique and that what refers to one finds it.
func (c *checker) identifiers() {
	for _, n := range c.doc.All(func(n *Node) bool { _, ok := n.Attr["id"]; return ok }) {
		id := n.Attr["id"]
		c.want(id != "" && !strings.ContainsFunc(id, unicode.IsSpace), "the id %q cannot be", id)
		c.want(c.ids[id] == nil, "the id %s is there twice", id)
		c.ids[id] = n
	}
	for _, n := range c.doc.All(func(*Node) bool { return true }) {
		for _, attr := range []string{"for", "aria-labelledby", "aria-describedby"} {
			for _, id := range strings.Fields(n.Attr[attr]) {
				c.want(c.ids[id] != nil, "<%s> names %s in %s, which is not there", n.Tag, id, attr)
			}
		}
		if id, ok := strings.CutPrefix(n.Attr["href"], "#"); ok {
			c.want(c.ids[id] != nil, "a link leads to #%s, which is not there", id)
		}
	}
}

// headings holds that no level is left out.
func (c *checker) headings() {
	level := 1
	for _, n := range c.doc.Tags("h1", "h2", "h3", "h4", "h5", "h6") {
		l := int(n.Tag[1] - '0')
		c.want(l <= level+1, "<%s> %q follows <h%d>", n.Tag, n.Text(), level)
		c.want(n.Text() != "", "<%s> is empty", n.Tag)
		level = l
	}
}

// controls holds that everything to act on says what it is.
func (c *checker) controls() {
	for _, n := range c.doc.Tags("a", "button", "summary") {
		c.want(n.Text() != "" || n.Attr["aria-label"] != "", "a <%s> says nothing", n.Tag)
	}
	for _, n := range c.doc.Tags("input", "textarea", "select") {
		if n.Attr["type"] == "hidden" {
			continue
		}
		labels := c.doc.With("for", n.Attr["id"])
		c.want(n.Attr["id"] != "" && len(labels) == 1 && labels[0].Text() != "", "the field %s has no label", n.Attr["name"])
		c.want((n.Attr["aria-invalid"] == "true") == (n.within("div") != nil && slices.Contains(strings.Fields(n.within("div").Attr["class"]), "wrong")) || n.Attr["type"] == "checkbox",
			"the field %s says of itself something else than it shows", n.Attr["name"])
	}
	for _, n := range c.doc.Tags("fieldset") {
		legends := n.Tags("legend")
		c.want(len(legends) == 1 && legends[0].Text() != "", "a <fieldset> has no legend")
	}
	for _, n := range c.doc.Tags("img") {
		_, ok := n.Attr["alt"]
		c.want(ok, "a picture has no alt")
	}
}

// forms holds that a form that changes something cannot be sent by another site, and leads to ours. A search changes
// nothing, and must not tell its token to the address.
func (c *checker) forms() {
	for _, n := range c.doc.Tags("form") {
		action := n.Attr["action"]
		c.want(local(action), "the form leads to %q", action)
		tokens := n.With("name", "csrf_token")
		if n.Attr["role"] == "search" {
			c.want(n.Attr["method"] == "get" && len(tokens) == 0, "the search at %s has the method %s and %d tokens", action, n.Attr["method"], len(tokens))
			continue
		}
		c.want(n.Attr["method"] == "post", "the form to %s is no post", action)
		before := action == "/signin" || action == "/setup" // there is no session to tell a token of
		c.want(before == (len(tokens) == 0), "the form to %s has %d tokens", action, len(tokens))
		for _, t := range tokens {
			c.want(t.Attr["value"] != "" && t.Attr["type"] == "hidden", "the form to %s has no token in its hidden field", action)
		}
		c.want(len(n.Tags("button")) == 1, "the form to %s has %d buttons", action, len(n.Tags("button")))
	}
	for _, n := range c.doc.Tags("a") {
		href := n.Attr["href"]
		c.want(local(href) || strings.HasPrefix(href, "#") || away(n), "a link leads to %q", href)
	}
}

// away says whether a link may lead to the web: as part of what somebody wrote, and telling nothing of us.
func away(n *Node) bool {
	href, part := n.Attr["href"], false
	for at := n.Parent; at != nil; at = at.Parent {
		part = part || at.Attr["class"] == "written"
	}
	plain := strings.HasPrefix(href, "http://") || strings.HasPrefix(href, "https://") || strings.HasPrefix(href, "mailto:")
	return n.Tag == "a" && part && plain && n.Attr["rel"] == "nofollow noreferrer"
}

// inert holds that nothing on the page could run but our own script, and that is a file.
func (c *checker) inert() {
	for _, n := range c.doc.All(func(*Node) bool { return true }) {
		switch n.Tag {
		case "script":
			c.want(n.Attr["type"] == "module" && strings.HasPrefix(n.Attr["src"], "/assets/") && len(n.Children) == 0, "a <script> that is not our file")
		case "style", "iframe", "object", "embed", "base":
			c.want(false, "<%s> has no place on our pages", n.Tag)
		}
		for attr, value := range n.Attr {
			c.want(attr != "style" && !strings.HasPrefix(attr, "on") && attr != "srcdoc" && attr != "formaction", "<%s> has %s", n.Tag, attr)
			if attr == "href" || attr == "src" {
				c.want(local(value) || strings.HasPrefix(value, "#") || away(n), "<%s> loads or leads to %q", n.Tag, value)
			}
		}
	}
}

// seen holds that no character hides from the reader or reorders what they read. What somebody typed into a field
// comes back to them as it was.
func (c *checker) seen() {
	for _, n := range c.doc.All(func(n *Node) bool { return n.Tag != "textarea" }) {
		for attr, value := range n.Attr {
			if attr != "value" {
				c.want(!hides(value), "<%s %s> holds %+q", n.Tag, attr, value)
			}
		}
		for _, child := range n.Children {
			c.want(!hides(child.text), "<%s> holds %+q", n.Tag, child.text)
		}
	}
}

func hides(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Bidi_Control, r))
	})
}

func local(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") && !strings.Contains(path, `\`)
}
