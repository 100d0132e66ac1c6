// SPDX-License-Identifier: Apache-2.0

package approvals

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/asked"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Row is one request in a list. Its texts are fit to be shown.
type Row struct {
	Path    string
	Asks    string // for which permissions; "" where it asks for access
	Title   string // the agent's claim, as are the three below; "" where the request gave none
	Client  string
	Host    string
	Project string
	Address string // as the server saw it
	Code    string
	Status  dash.RequestStatus
	By      string // who decided, or ""
	Decided layout.Moment
	Made    layout.Moment
	Lapses  layout.Moment
}

// State is the row's status in a word or two.
func (r Row) State() string { return asked.State(r.Status) }

// List is one page of requests.
type List struct {
	Rows  []Row
	Older string // the cursor of the page after, "" at the end
	// Hidden says that the person may not list requests, and answers them by their links.
	Hidden bool
}

// Waiting asks for the requests that can be decided, newest first, from cursor on: those for access, and before them on
// the first page all those of the viewer's keys for more. There are never many of those: they lapse soon.
func Waiting(v *visit.Visit, cursor string) (List, error) {
	l, err := list(v, true, cursor)
	if err != nil || cursor != "" {
		return l, err
	}
	more, err := permissions(v, true, "")
	l.Rows = append(more.Rows, l.Rows...)
	slices.SortStableFunc(l.Rows, func(a, b Row) int { return b.Made.At.Compare(a.Made.At) })
	return l, err
}

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

// permissions asks for what the viewer's keys asked for.
func permissions(v *visit.Visit, waiting bool, cursor string) (List, error) {
	limit := dash.Limit(pageSize)
	if waiting {
		limit = waitingMost
	}
	params := dash.ListPermissionRequestsParams{Waiting: &waiting, Limit: &limit}
	if cursor != "" {
		params.Cursor = &cursor
	}
	rsp, err := apiclient.Check(v.API.ListPermissionRequestsWithResponse(v.R.Context(), &params))
	if err != nil {
		return List{}, err
	}
	if rsp.JSON200 == nil {
		return List{}, errors.New("the API answered no list of permission requests")
	}
	var l List
	for _, r := range rsp.JSON200.Requests {
		l.Rows = append(l.Rows, permissionRow(v.Now, r))
	}
	l.Older, _ = rsp.JSON200.NextCursor.Get()
	return l, nil
}

// waitingMost is how many permission requests that wait are shown.
const waitingMost = 100

func permissionRow(now time.Time, r dash.PermissionRequest) Row {
	at := func(t dash.Time) layout.Moment { return layout.Moment{Now: now, At: t.Time} }
	names := make([]string, len(r.Permissions))
	for i, p := range r.Permissions {
		names[i] = string(p)
	}
	out := Row{
		Path: "/permissions/" + r.PublicID, Asks: strings.Join(names, ", "), Status: r.Status, Made: at(r.CreatedAt), Lapses: at(r.ExpiresAt),
		Title: visible.Text(r.Key.Title, 100), Address: visible.Text(r.Address, 60), Code: visible.Text(r.ConfirmCode, 20),
	}
	if r.Decision != nil {
		out.By, out.Decided = visible.Text(r.Decision.By.Name, 60), at(r.Decision.At)
	}
	return out
}

func row(now time.Time, r dash.AccessRequest) Row {
	at := func(t dash.Time) layout.Moment { return layout.Moment{Now: now, At: t.Time} }
	out := Row{
		Path: "/approvals/" + r.PublicID, Status: r.Status, Made: at(r.CreatedAt), Lapses: at(r.ExpiresAt),
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
