// SPDX-License-Identifier: Apache-2.0

package visit

import (
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
)

// patterns says for people what the contract says in patterns.
var patterns = map[string]string{
	`\S`:                                   "must not be blank",
	`^[A-Z][A-Z0-9]{1,9}$`:                 "must be 2 to 10 capital letters and digits, a letter first",
	`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`:    "must be an owner and a name, like acme/shop",
	`^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,9}$`: "must be the id of a card, like SHOP-2",
	`^[a-z0-9]+(-[a-z0-9]+)*$`:             "must be lower-case letters and digits, with single hyphens between them",

	`^(min|low|medium_low|medium|medium_high|high|max)$`: "must be one of the list",
	`^[a-z]+([.][a-z]+)+$`:                               "must be the name of a permission, like boards.edit",
	`^[^/\\\x00-\x1f\x7f]+$`:                             "must not have a slash, a backslash or a control character in it",
}

// ties are the parts of a call that no person types: a page puts them into its forms.
var ties = []string{"/version", "Idempotency-Key"}

// plainly is what the API finds wrong, in words for people.
func plainly(message string) string {
	pattern, ok := strings.CutPrefix(message, "must match ")
	if !ok {
		return message
	}
	if words := patterns[pattern]; words != "" {
		return words
	}
	return "is not of the form that is asked for"
}

// Field says which field of a page a part of the API's body is filled in from.
type Field struct {
	ID    string
	Label string
}

// Problems are the issues that the API found in a body, each at its field; fields go by JSON Pointer. A field has one at
// a time: what is empty is blank as well.
func Problems(r dash.InvalidRequestRefusal, fields map[string]Field) (problems []layout.Problem) {
	for _, issue := range r.Issues {
		field := fieldAt(issue.Path, fields)
		problem := layout.Problem{Field: field.ID, Text: Sentence(field.Label + " " + plainly(issue.Message))}
		if slices.Contains(ties, issue.Path) {
			problem.Text = "The form came without what ties it to its page. Reload the page and send it again."
		}
		if !slices.ContainsFunc(problems, func(p layout.Problem) bool {
			return p.Field == problem.Field && (p.Field != "" || p.Text == problem.Text)
		}) {
			problems = append(problems, problem)
		}
	}
	if len(problems) == 0 {
		problems = []layout.Problem{{Text: Sentence(r.Message)}}
	}
	return problems
}

// fieldAt is the field that holds the value at path: the one there, or the nearest one around it.
func fieldAt(path string, fields map[string]Field) Field {
	for at, more := path, true; more; {
		if field, ok := fields[at]; ok {
			return field
		}
		i := strings.LastIndexByte(at, '/')
		if more = i >= 0; more {
			at = at[:i]
		}
	}
	return Field{Label: strings.TrimPrefix(path, "/")}
}
