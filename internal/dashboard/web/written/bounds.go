// SPDX-License-Identifier: Apache-2.0

package written

import (
	"bytes"
	"errors"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A text that goes beyond these is no longer read as Markdown: nobody could follow it, it would push itself off the
// page, or the time to read it grows with the square of them.
const (
	nesting  = 12   // quotes and lists in each other
	brackets = 1000 // what may begin a link
	runs     = 1000 // of signs of emphasis in one paragraph
	cells    = 5000 // of all its tables; each row is as wide as the first
	pipes    = 500  // that are escaped in its tables
)

// most is how many bytes of HTML a text of a length may become.
func most(length int) int { return min(4*length+16<<10, 1<<20) }

// spent is how much of the bounds one text has used up.
type spent struct {
	runs, cells, pipes int
	beyond             bool
}

var spentKey = parser.NewContextKey()

func spentOf(pc parser.Context) *spent {
	return pc.ComputeIfAbsent(spentKey, func() any { return &spent{} }).(*spent)
}

// emphasis reads what its parser reads, as long as the paragraph does not go beyond the bound.
type emphasis struct{ parser.InlineParser }

func (e emphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	s := spentOf(pc)
	if s.runs++; s.runs > runs {
		s.beyond = true
	}
	if s.beyond {
		return nil
	}
	return e.InlineParser.Parse(parent, block, pc)
}

// CloseBlock ends a paragraph: its signs match none outside of it.
func (emphasis) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) { spentOf(pc).runs = 0 }

// tables makes tables of paragraphs, as long as the text does not go beyond the bounds. It counts what a table could
// have at most: a line may look like the one below a head and be none.
type tables struct{ parser.ParagraphTransformer }

func (t tables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, wide, escaped := node.Lines(), 0, 0
	for i := range lines.Len() {
		line := lines.At(i)
		value := line.Value(reader.Source())
		if len(bytes.Trim(value, "-|: \t\v\f\r\n")) == 0 {
			wide = max(wide, bytes.Count(value, []byte("|"))+1)
		}
		escaped += bytes.Count(value, []byte(`\|`))
	}
	if wide == 0 {
		return
	}
	s := spentOf(pc)
	s.cells += wide * lines.Len()
	s.pipes += escaped
	if s.cells > cells || s.pipes > pipes {
		s.beyond = true
	}
	if !s.beyond {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// linked is how many bytes the links lead to. A reference is written once and used often.
func linked(doc ast.Node) (n int) {
	_ = ast.Walk(doc, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := node.(*ast.Link); ok && entering {
			n += len(l.Destination)
		}
		return ast.WalkContinue, nil
	})
	return n
}

// page takes HTML as long as there is room for it.
type page struct {
	html bytes.Buffer
	room int // in bytes
}

var errFull = errors.New("the text becomes too long")

func (p *page) Write(b []byte) (int, error) {
	if len(b) > p.room {
		p.room = 0
		return 0, errFull
	}
	p.room -= len(b)
	return p.html.Write(b)
}
