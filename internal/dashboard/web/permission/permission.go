// SPDX-License-Identifier: Apache-2.0

// Package permission is the page where a key's owner answers one request for more: compare the code, read what is asked
// for and what it opens, decide. It is decided as a whole: who would grant a part asks for changes.
package permission

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

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
	Key       Key
	Asked     []asked.Grant
	Reason    string // the agent's own words
	Address   string
	Code      string
	Digest    string
	Status    dash.RequestStatus
	Made      layout.Moment
	Lapses    layout.Moment
	Decision  *asked.Decision
	CSRFToken string
	Draft     Draft
	Problems  []layout.Problem
	Overtaken string // why the answer just sent decided nothing
}

// Key is who asks.
type Key struct {
	Title  string // the agent's claim
	Prefix string
	Made   layout.Moment
	Used   layout.Moment
	Holds  []asked.Grant
}

// Draft is what a person had filled in before the page had to come back.
type Draft struct{ Changes, Denial string }

// Get shows the request as it stands.
func Get(v *visit.Visit) error { return show(v, http.StatusOK, Page{}) }

// Back leads from the address of a form, opened by hand, to the request.
func Back(v *visit.Visit) error { return v.Go(path(v)) }

func path(v *visit.Visit) string {
	return "/permissions/" + url.PathEscape(v.R.PathValue("publicId"))
}

// show fills in the request as it stands now and shows the page.
func show(v *visit.Visit, status int, page Page) error {
	me, err := v.Me()
	if err != nil {
		return err
	}
	rsp, err := apiclient.Check(v.API.GetPermissionRequestWithResponse(v.R.Context(), v.R.PathValue("publicId")))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no permission request")
	}
	page.fill(v, me, *rsp.JSON200)
	frame := v.Frame(page.heading()+" · "+page.Code, layout.Approvals, asked.Sheet)
	frame.Problems = len(page.Problems) > 0 || page.Overtaken != ""
	return v.Show(status, frame, body(page))
}

// whole is longer than the contract lets any line be that a decision binds: none of it may be left off.
const whole = 300

func (p *Page) fill(v *visit.Visit, me dash.Me, r dash.PermissionRequest) {
	at := func(t dash.Time) layout.Moment { return layout.Moment{Now: v.Now, At: t.Time} }
	p.ID, p.Status, p.CSRFToken = r.PublicID, r.Status, *me.CsrfToken
	p.Key = Key{
		Title: visible.Text(r.Key.Title, whole), Prefix: visible.Text(r.Key.Prefix, 20), Made: at(r.Key.CreatedAt), Used: at(r.Key.LastUsedAt),
		Holds: asked.Listed(r.Key.Permissions),
	}
	p.Asked, p.Reason = asked.Listed(r.Permissions), visible.Lines(r.Reason, 4*whole)
	p.Address = visible.Text(r.Address, whole)
	p.Code, p.Digest = visible.Text(r.ConfirmCode, 20), visible.Text(r.Digest, 64)
	p.Made, p.Lapses = at(r.CreatedAt), at(r.ExpiresAt)
	p.Decision = asked.Made(r.Decision, me.Person, at)
}

// Pending says whether the page asks for a decision.
func (p Page) Pending() bool { return p.Status == dash.RequestStatusPending }

func (p Page) heading() string {
	switch p.Status {
	case dash.RequestStatusPending:
		return "An agent asks for more"
	case dash.RequestStatusApproved:
		return "Permission granted"
	case dash.RequestStatusDenied:
		return "Permission denied"
	case dash.RequestStatusRevisionRequested:
		return "Sent back for changes"
	}
	return "This request has lapsed"
}

// state is what a request without a decision to make says of itself, and what to do next.
func (p Page) state() (what, next string) {
	switch p.Status {
	case dash.RequestStatusApproved:
		return "The key holds it since then.", "There is nothing more to do here: go back to the agent. To take it away again, revoke the key."
	case dash.RequestStatusDenied:
		return "The key got nothing more, and the agent is told so.", "If that was a mistake, let the agent ask again: it shows a new link and a new code."
	case dash.RequestStatusRevisionRequested:
		return "The key got nothing more. The agent reads the note and may ask again.", "A new request has a link and a code of its own: open the link that the agent shows next."
	}
	return "Nobody answered it in time, so the key got nothing more.", "Let the agent ask again: it shows a new link and a new code."
}

// Approve grants all that is asked for.
func Approve(v *visit.Visit) error {
	v.Here = path(v)
	_, err := apiclient.Check(v.API.ApprovePermissionRequestWithResponse(v.R.Context(), v.R.PathValue("publicId"),
		dash.PermissionApproval{Digest: v.Field("digest")}))
	return decided(v, err, Page{})
}

// RequestChanges sends the request back with a note.
func RequestChanges(v *visit.Visit) error {
	v.Here = path(v)
	note := strings.TrimSpace(v.Field(asked.ChangesField))
	page := Page{Draft: Draft{Changes: note}}
	if note == "" {
		page.Problems = []layout.Problem{asked.SayWhat}
		return show(v, http.StatusBadRequest, page)
	}
	_, err := apiclient.Check(v.API.RequestPermissionChangesWithResponse(v.R.Context(), v.R.PathValue("publicId"),
		dash.RequestRevision{Digest: v.Field("digest"), Note: note}))
	return decided(v, err, page)
}

// Deny refuses the request, with a reason or without.
func Deny(v *visit.Visit) error {
	v.Here = path(v)
	note := strings.TrimSpace(v.Field(asked.DenialField))
	body := dash.RequestDenial{Digest: v.Field("digest")}
	if note != "" {
		body.Note = &note
	}
	_, err := apiclient.Check(v.API.DenyPermissionRequestWithResponse(v.R.Context(), v.R.PathValue("publicId"), body))
	return decided(v, err, Page{Draft: Draft{Denial: note}})
}

// decided leads to the request after a decision. Where the API took none, it shows the request as it stands, with the
// reason and with what the person had filled in.
func decided(v *visit.Visit, err error, page Page) error {
	if why, status, ok := asked.Overtaken(err); ok {
		page.Overtaken = why
		return show(v, status, page)
	}
	switch refusal, _ := errors.AsType[dash.Refusal](err); r := refusal.(type) {
	case dash.KeyNotLiveRefusal:
		page.Overtaken = "The key that asks was revoked or has lapsed, so it can be given nothing more. Deny the request, or leave it to lapse."
		return show(v, r.RefusalStatus(), page)
	case dash.OwnerLacksPermissionRefusal:
		names := make([]string, len(r.Permissions))
		for i, p := range r.Permissions {
			names[i] = string(p)
		}
		page.Overtaken = "You cannot grant what you do not hold: " + strings.Join(names, ", ") + ". Nothing was decided: deny the request, or ask for changes."
		return show(v, r.RefusalStatus(), page)
	case dash.InvalidRequestRefusal:
		field := asked.DenialField
		if page.Draft.Changes != "" {
			field = asked.ChangesField
		}
		page.Problems = visit.Problems(r, map[string]visit.Field{"/note": {ID: field, Label: "What you say"}})
		return show(v, r.RefusalStatus(), page)
	}
	if err != nil {
		return err
	}
	return v.Go(path(v))
}
