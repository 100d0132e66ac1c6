// SPDX-License-Identifier: Apache-2.0

package approvals

import (
	"errors"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Row is one request in a list. Its texts are fit to be shown.
type Row struct {
	ID      string
	Title   string // the agent's claim, as are the three below; "" where the request gave none
	Client  string
	Host    string
	Project string
	Address string // as the server saw it
	Code    string
	Status  dash.AccessRequestStatus
	By      string // who decided, or ""
	Decided layout.Moment
	Made    layout.Moment
	Lapses  layout.Moment
}

// State is the row's status in a word or two.
func (r Row) State() string { return State(r.Status) }

// State is a status in a word or two.
func State(s dash.AccessRequestStatus) string {
	switch s {
	case dash.AccessRequestStatusPending:
		return "Waiting"
	case dash.AccessRequestStatusApproved, dash.AccessRequestStatusClaimed:
		return "Approved"
	case dash.AccessRequestStatusDenied:
		return "Denied"
	case dash.AccessRequestStatusRevisionRequested:
		return "Changes asked"
	case dash.AccessRequestStatusExpired:
		return "Lapsed"
	}
	return string(s)
}

// List is one page of requests.
type List struct {
	Rows  []Row
	Older string // the cursor of the page after, "" at the end
	// Hidden says that the person may not list requests, and answers them by their links.
	Hidden bool
}

// Waiting asks for the requests that can be decided, newest first, from cursor on.
func Waiting(v *visit.Visit, cursor string) (List, error) { return list(v, true, cursor) }

// Answered asks for the requests that nobody can decide any more.
func Answered(v *visit.Visit, cursor string) (List, error) { return list(v, false, cursor) }

func list(v *visit.Visit, waiting bool, cursor string) (List, error) {
	limit := dash.Limit(pageSize)
	params := dash.ListAccessRequestsParams{Waiting: &waiting, Limit: &limit}
	if cursor != "" {
		params.Cursor = &cursor
	}
	rsp, err := apiclient.Check(v.API.ListAccessRequestsWithResponse(v.R.Context(), &params))
	if _, may := errors.AsType[dash.ForbiddenRefusal](err); may {
		return List{Hidden: true}, nil
	}
	if err != nil {
		return List{}, err
	}
	if rsp.JSON200 == nil {
		return List{}, errors.New("the API answered no list of requests")
	}
	var l List
	for _, r := range rsp.JSON200.Requests {
		l.Rows = append(l.Rows, row(v.Now, r))
	}
	l.Older, _ = rsp.JSON200.NextCursor.Get()
	return l, nil
}

func row(now time.Time, r dash.AccessRequest) Row {
	at := func(t dash.Time) layout.Moment { return layout.Moment{Now: now, At: t.Time} }
	out := Row{
		ID: r.PublicID, Status: r.Status, Made: at(r.CreatedAt), Lapses: at(r.ExpiresAt),
		Title:   visible.Text(text(r.Title), 100),
		Client:  visible.Text(r.Client.Name+" "+text(r.Client.Version), 60),
		Host:    visible.Text(text(r.Client.Host), 60),
		Project: visible.Text(text(r.Client.Project), 60),
		Address: visible.Text(r.Address, 60),
		Code:    visible.Text(r.ConfirmCode, 20),
	}
	if r.Decision != nil {
		out.By, out.Decided = visible.Text(r.Decision.By.Name, 60), at(r.Decision.At)
	}
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
