// SPDX-License-Identifier: Apache-2.0

// Package approvals is the inbox: which requests wait for a person, for access and for more of it, and what became of
// the others. Only the API knows who may see which.
package approvals

import (
	_ "embed"
	"net/http"
	"net/url"

	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// pageSize is how many requests a list shows at once.
const pageSize = 25

//go:embed approvals.css
var css []byte

// Sheet is the style of lists of requests.
var Sheet = assets.New("approvals.css", css)

// The lists page on their own: each has its cursor in the query.
const (
	waiting  = "waiting"
	answered = "answered"
	granted  = "permissions"
)

// Inbox is what the page shows. A list that is nil is not on this page.
type Inbox struct {
	Waiting  *List
	Answered *List // for access
	Granted  *List // for more, answered or lapsed
	Later    bool  // a page after the first
}

// Hidden says that the person may not list requests for access.
func (i Inbox) Hidden() bool {
	return i.Waiting != nil && i.Waiting.Hidden || i.Answered != nil && i.Answered.Hidden
}

// Get shows both lists from their start, or one of them further on.
func Get(v *visit.Visit) error {
	if _, err := v.Me(); err != nil {
		return err
	}
	query := v.R.URL.Query()
	inbox := Inbox{Later: query.Has(waiting) || query.Has(answered) || query.Has(granted)}
	if !inbox.Later || query.Has(waiting) {
		l, err := Waiting(v, query.Get(waiting))
		if err != nil {
			return err
		}
		inbox.Waiting = &l
	}
	if !inbox.Hidden() && (!inbox.Later || query.Has(answered)) {
		l, err := Answered(v, query.Get(answered))
		if err != nil {
			return err
		}
		inbox.Answered = &l
	}
	if !inbox.Later || query.Has(granted) {
		l, err := permissions(v, false, query.Get(granted))
		if err != nil {
			return err
		}
		inbox.Granted = &l
	}
	title := "Approvals"
	if inbox.Waiting != nil && len(inbox.Waiting.Rows) > 0 {
		title = count(inbox.Waiting) + " waiting · Approvals"
	}
	return v.Show(http.StatusOK, v.Frame(title, layout.Approvals, Sheet), body(inbox))
}

func older(list, cursor string) string {
	return "/approvals?" + url.Values{list: {cursor}}.Encode()
}
