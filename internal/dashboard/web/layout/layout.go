// SPDX-License-Identifier: Apache-2.0

// Package layout is what pages share: the shell around them, form fields, the list of what to mend, and the design
// tokens in base.css. Its components are dumb: they show plain structs and decide nothing. Pages hold no inline script
// and no inline style, so that the content security policy can forbid both.
package layout

import (
	_ "embed"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/when"
)

// Product is the name that ends every title.
const Product = "50 Arms"

//go:embed base.css
var baseCSS []byte

//go:embed icon.svg
var iconSVG []byte

// Base and Icon belong to every page.
var (
	Base = assets.New("base.css", baseCSS)
	Icon = assets.New("icon.svg", iconSVG)
)

// Section is a place in the navigation.
type Section int

// The sections. Nowhere is a page outside of them.
const (
	Nowhere Section = iota
	Home
	Boards
	Approvals
	Keys
	Audit
)

// Viewer is the signed-in person, as the header shows them.
type Viewer struct {
	Person    string
	Team      string
	CSRFToken string
	Waiting   string // how many requests wait for them; "" is none, or unknown
	Audits    bool   // they may read the audit log
}

// Frame is what the shell needs to know of a page.
type Frame struct {
	Title    string        // without the product's name
	Viewer   *Viewer       // nil: signed out, and the header offers nothing
	Section  Section       // marked in the navigation
	Problems bool          // the page asks to mend something, which its title says first
	Wide     bool          // the main part takes all the room there is
	Sheets   []assets.File // style sheets of the page's own
	Page     string        // names what the page shows, for the script to tell an answer for it from another page
	Live     *Live         // nil: the page follows nothing
}

func (f Frame) title() string {
	t := f.Title + " · " + Product
	if f.Problems {
		t = "Error: " + t
	}
	return t
}

// Problem is one thing to mend, and the id of the field to mend it in ("" where it is no field's).
type Problem struct {
	Field string
	Text  string
}

// For finds the text for a field.
func For(problems []Problem, field string) string {
	for _, p := range problems {
		if p.Field == field {
			return p.Text
		}
	}
	return ""
}

// Field is one labelled input.
type Field struct {
	Name         string
	ID           string // "" is Name; a page with several forms tells their fields apart by it
	Label        string
	Hint         string
	Type         string // of the input; "textarea" for one with lines, "select" for one of Options
	Options      []Option
	Rows         int // of a textarea; 0 is 2
	Value        string
	Autocomplete string
	Optional     bool
	MinLength    int // 0 is no bound
	MaxLength    int
	Exact        bool // the browser must not mend case or spelling
	Problem      string
	Seen         string // a mark of the value that the page was made with; "" sends none
	Now          string // what is there now, where somebody else has changed it meanwhile
}

// SeenName is the hidden field that carries Seen.
func SeenName(field string) string { return "seen-" + field }

// Option is one of the values that a field can take.
type Option struct{ Value, Label string }

func (f Field) id() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

func (f Field) rows() string { return strconv.Itoa(max(f.Rows, 2)) }

// describedBy lists the ids of what explains the field.
func (f Field) describedBy() string {
	var ids []string
	for _, part := range []struct{ text, id string }{{f.Hint, f.hintID()}, {f.Problem, f.problemID()}, {f.Now, f.nowID()}} {
		if part.text != "" {
			ids = append(ids, part.id)
		}
	}
	return strings.Join(ids, " ")
}

func (f Field) hintID() string    { return f.id() + "-hint" }
func (f Field) problemID() string { return f.id() + "-problem" }
func (f Field) nowID() string     { return f.id() + "-now" }

// attributes are those that a field has or has not.
func (f Field) attributes() templ.OrderedAttributes {
	var a templ.OrderedAttributes
	add := func(ok bool, key string, value any) {
		if ok {
			a = append(a, templ.KV(key, value))
		}
	}
	add(!f.Optional, "required", true)
	add(f.Autocomplete != "", "autocomplete", f.Autocomplete)
	add(f.MinLength > 0, "minlength", strconv.Itoa(f.MinLength))
	add(f.MaxLength > 0, "maxlength", strconv.Itoa(f.MaxLength))
	add(f.Exact, "autocapitalize", "none")
	add(f.Exact, "spellcheck", "false")
	add(f.describedBy() != "", "aria-describedby", f.describedBy())
	add(f.Problem != "", "aria-invalid", "true")
	return a
}

// Moment is a time with its distance from now.
type Moment struct{ Now, At time.Time }

func (m Moment) words() string   { return when.Words(m.Now, m.At) }
func (m Moment) utc() string     { return when.UTC(m.At) }
func (m Moment) machine() string { return m.At.UTC().Format(time.RFC3339) }

// Message is a page that says one thing: what happened, and where to go from here.
type Message struct {
	Heading   string
	Text      []string // paragraphs
	Link      string   // "" offers none
	LinkText  string
	RequestID string // "" shows none
}

func count(n int) string { return strconv.Itoa(n) }
