// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/fiftyarms/platform/gen/dash"
)

// Live is what the script needs to follow what happens.
type Live struct {
	Topics []string
	Cursor string // of the newest event when the page began to read
}

// kinds are the events that an operation can cause. A stream hands each out under its own name.
var kinds = func() string {
	var all []string
	for _, op := range dash.Operations {
		for _, kind := range op.Events {
			if !slices.Contains(all, kind) {
				all = append(all, kind)
			}
		}
	}
	return strings.Join(all, " ")
}()

// attributes are those of the main part of a page.
func (f Frame) attributes() templ.OrderedAttributes {
	var a templ.OrderedAttributes
	if f.Page != "" {
		a = append(a, templ.KV("data-page", any(f.Page)))
	}
	if f.Live != nil {
		a = append(a,
			templ.KV("data-topics", any(strings.Join(f.Live.Topics, ","))),
			templ.KV("data-cursor", any(f.Live.Cursor)),
			templ.KV("data-kinds", any(kinds)),
		)
	}
	return a
}
