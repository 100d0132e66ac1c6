// SPDX-License-Identifier: Apache-2.0

// Package written shows what people and agents write in Markdown: descriptions and comments. The text is hostile until
// it is shown: HTML in it stays text, links lead to the web and tell it nothing, pictures are links unless they were
// uploaded to this dashboard, no element of it has an id or a class, its headings stand below those of the page, and
// characters that a reader would not see are written out.
package written

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
)

// Limit is how many characters are shown. The contract lets no text be longer.
const Limit = 100_000

// markdown knows no HTML at all, so that a tag is what it is to its writer: text.
var markdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser(), parser.NewEmphasisParser())...),
		parser.WithInlineParsers(
			util.Prioritized(emphasis{parser.NewEmphasisParser()}, 500),
			util.Prioritized(emphasis{extension.NewStrikethroughParser()}, 500),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithParagraphTransformers(util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)),
	goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)), 500),
	)),
)

// without leaves out the parsers of some types.
func without(all []util.PrioritizedValue, left ...any) []util.PrioritizedValue {
	return slices.DeleteFunc(all, func(p util.PrioritizedValue) bool {
		return slices.ContainsFunc(left, func(l any) bool { return reflect.TypeOf(p.Value) == reflect.TypeOf(l) })
	})
}

// uploaded is the address of an image that this dashboard keeps, and that a reader's browser may load.
var uploaded = regexp.MustCompile(`^/api/uploads/images/[0-9a-f]{32}$`)

// policy is what may come out, whatever the renderer makes of a text.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`(?i)^(https?|mailto):`)).OnElements("a")
	p.AllowAttrs("src").Matching(uploaded).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true) // of pictures: what a link is, its own rule says
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}()

// HTML is a text below a heading of the level above level, 3 to 6.
func HTML(source string, level int) templ.Component {
	source = strings.ToValidUTF8(strings.ReplaceAll(source, "\r\n", "\n"), "\uFFFD")
	source = visible.Lines(strings.ReplaceAll(source, "\t", "    "), Limit)
	if strings.Count(source, "[") > brackets || stacked.MatchString(source) {
		return plain(source)
	}
	src, pc := []byte(source), parser.NewContext()
	doc := markdown.Parser().Parse(text.NewReader(src), parser.WithContext(pc))
	if spentOf(pc).beyond || deep(doc) {
		return plain(source)
	}
	tame(doc, src, level)
	out := page{room: most(len(src))}
	if linked(doc) > out.room || markdown.Renderer().Render(&out, src, doc) != nil {
		return plain(source)
	}
	// References like &#x202E; have become characters only now.
	shown := visible.Marked(policy.Sanitize(out.html.String()))
	if len(shown) > most(len(src)) {
		return plain(source)
	}
	return templ.Raw(shown)
}

// stacked finds a line that opens more than a dozen quotes and lists at once.
var stacked = regexp.MustCompile(`(?m)^ *(?:(?:>|(?:[-+*]|[0-9]{1,9}[.)]) ) *){13}`)

// deep says whether blocks stand in each other too deep.
func deep(doc ast.Node) bool {
	depth, most := 0, 0
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() != ast.KindBlockquote && n.Kind() != ast.KindList {
			return ast.WalkContinue, nil
		}
		if entering {
			depth++
			most = max(most, depth)
		} else {
			depth--
		}
		return ast.WalkContinue, nil
	})
	return most > nesting
}

// tame puts headings below the page's, without a gap, and makes links of the pictures that are not shown.
func tame(doc ast.Node, src []byte, level int) {
	var headings []*ast.Heading
	var images []*ast.Image
	var links []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Heading:
				headings = append(headings, n)
			case *ast.Image:
				images = append(images, n)
			case *ast.Link:
				n.Title = nil // which the policy does not let out
				links = append(links, n)
			}
		}
		return ast.WalkContinue, nil
	})
	last := level - 1
	for _, h := range headings {
		if strings.TrimSpace(words(h, src)) == "" {
			h.Parent().RemoveChild(h.Parent(), h)
			continue
		}
		h.Level = min(last+1, level+h.Level-1, 6)
		last = h.Level
	}
	for _, i := range images {
		if i.Title = nil; uploaded.Match(i.Destination) && !within(i) {
			continue
		}
		if within(i) { // no link stands in another
			for c := i.FirstChild(); c != nil; c = i.FirstChild() {
				i.Parent().InsertBefore(i.Parent(), i, c)
			}
			i.Parent().RemoveChild(i.Parent(), i)
			continue
		}
		link := ast.NewLink()
		link.Destination = i.Destination
		for c := i.FirstChild(); c != nil; c = i.FirstChild() {
			link.AppendChild(link, c)
		}
		i.Parent().ReplaceChild(i.Parent(), i, link)
		links = append(links, link)
	}
	for _, l := range links {
		if strings.TrimSpace(words(l, src)) == "" {
			l.AppendChild(l, ast.NewString(l.Destination))
		}
	}
}

// within says whether a node stands in a link.
func within(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

// words is the text below a node.
func words(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Text:
				b.Write(n.Segment.Value(src))
			case *ast.String:
				b.Write(n.Value)
			case *ast.AutoLink:
				b.Write(n.Label(src))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
