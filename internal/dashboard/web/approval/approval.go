// SPDX-License-Identifier: Apache-2.0

// Package approval is the page where a person answers one request for access: compare the code, read who asks and for
// what, decide. A decision names the digest of the request as the page showed it, so nobody approves what they did not
// see. "Not now" is a link that leads away: it decides nothing.
package approval

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/asked"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Page is what the page shows. Every text from an agent or a person is fit to be shown.
type Page struct {
	ID        string
	Title     string // "" where the request gave none
	Client    string
	Version   string
	Host      string
	Project   string
	Address   string
	Team      string // "" where the request named none
	Code      string
	Digest    string
	Status    dash.RequestStatus
	Made      layout.Moment
	Lapses    layout.Moment
	Grants    []asked.Grant
	Decision  *asked.Decision
	CSRFToken string
	Draft     Draft
	Problems  []layout.Problem
	Overtaken string // why the answer just sent decided nothing
}

// Draft is what a person had filled in before the page had to come back.
type Draft struct {
	Untick  map[dash.Permission]bool
	Changes string
	Denial  string
}

// Get shows the request as it stands.
func Get(v *visit.Visit) error { return show(v, http.StatusOK, Page{}) }

// Back leads from the address of a form, opened by hand, to the request.
func Back(v *visit.Visit) error { return v.Go(path(v)) }

func path(v *visit.Visit) string { return "/approvals/" + url.PathEscape(v.R.PathValue("publicId")) }

// show fills in the request as it stands now and shows the page.
func show(v *visit.Visit, status int, page Page) error {
	me, err := v.Me()
	if err != nil {
		return err
	}
	rsp, err := apiclient.Check(v.API.GetAccessRequestWithResponse(v.R.Context(), v.R.PathValue("publicId")))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no request")
	}
	page.fill(v, me, *rsp.JSON200)
	frame := v.Frame(page.title(), layout.Approvals, asked.Sheet)
	frame.Problems = len(page.Problems) > 0 || page.Overtaken != ""
	return v.Show(status, frame, body(page))
}

// whole is longer than the contract lets any field be that a decision binds: none of it may be left off.
const whole = 300

func (p *Page) fill(v *visit.Visit, me dash.Me, r dash.AccessRequest) {
	at := func(t dash.Time) layout.Moment { return layout.Moment{Now: v.Now, At: t.Time} }
	p.ID, p.Status, p.CSRFToken = r.PublicID, r.Status, *me.CsrfToken
	p.Title = visible.Text(text(r.Title), whole)
	p.Client, p.Version = visible.Text(r.Client.Name, whole), visible.Text(text(r.Client.Version), whole)
	p.Host, p.Project = visible.Text(text(r.Client.Host), whole), visible.Text(text(r.Client.Project), whole)
	p.Address = visible.Text(r.Address, whole)
	p.Code, p.Digest = visible.Text(r.ConfirmCode, 20), visible.Text(r.Digest, 64)
	p.Made, p.Lapses = at(r.CreatedAt), at(r.ExpiresAt)
	if r.Team != nil {
		p.Team = visible.Text(r.Team.Name, 100)
	}
	p.Grants = asked.Grants(r.Grants, func(g dash.Permission) bool { return !p.Draft.Untick[g] })
	p.Decision = asked.Made(r.Decision, me.Person, at)
}

// Pending says whether the page asks for a decision.
func (p Page) Pending() bool { return p.Status == dash.RequestStatusPending }

func (p Page) heading() string {
	switch p.Status {
	case dash.RequestStatusPending:
		return "An agent asks for access"
	case dash.RequestStatusApproved, dash.RequestStatusClaimed:
		return "Access approved"
	case dash.RequestStatusDenied:
		return "Access denied"
	case dash.RequestStatusRevisionRequested:
		return "Sent back for changes"
	}
	return "This request has lapsed"
}

func (p Page) title() string { return p.heading() + " · " + p.Code }

func (p Page) program() string {
	if p.Version == "" {
		return p.Client
	}
	return p.Client + " " + p.Version
}

// state is what a request without a decision to make says of itself, and what to do next.
func (p Page) state() (what, next string) {
	switch p.Status {
	case dash.RequestStatusApproved:
		return "The agent collects its key by itself.", "There is nothing more to do here: go back to the agent."
	case dash.RequestStatusClaimed:
		return "The agent has its key and works with it.", "There is nothing more to do here. The key ends when it goes unused for 24 hours, or when a person revokes it."
	case dash.RequestStatusDenied:
		return "The agent got no key, and is told so.", "If that was a mistake, let the agent ask again: it shows a new link and a new code."
	case dash.RequestStatusRevisionRequested:
		return "The agent got no key. It reads the note and may ask again.", "A new request has a link and a code of its own: open the link that the agent shows next."
	}
	if p.Decision != nil {
		return "It was approved, but the agent did not collect its key in time.", "Let the agent ask again: it shows a new link and a new code."
	}
	return "Nobody answered it in time, so the agent got no key.", "Let the agent ask again: it shows a new link and a new code."
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
