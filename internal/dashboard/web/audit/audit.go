// SPDX-License-Identifier: Apache-2.0

// Package audit is the page that tells who let whom do what.
package audit

import (
	"cmp"
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// pageSize is how many entries a page shows.
const pageSize = 50

//go:embed audit.css
var css []byte

// Sheet is the page's own style.
var Sheet = assets.New("audit.css", css)

// Page is what the page shows.
type Page struct {
	Entries []Entry
	Action  dash.AuditAction // "" is any
	Later   bool             // a page after the first
	More    string
	Hidden  bool // the viewer may not read the log
}

// Entry is an entry of the log. Its texts are fit to be shown.
type Entry struct {
	At      layout.Moment
	By      string
	What    string // after the name
	Whom    string // what it was done to, in the words of who made it; "" where the sentence has said it
	Address string
	Scope   string
	Note    string
}

// words say what each action is, after the name of who did it. A test holds them against the contract.
var words = map[dash.AuditAction]string{
	dash.AuditActionTeamSetUp:          "set the team up",
	dash.AuditActionPersonSignedIn:     "signed in",
	dash.AuditActionAccessApproved:     "approved the access request",
	dash.AuditActionAccessDenied:       "denied the access request",
	dash.AuditActionAccessSentBack:     "asked for changes of the access request",
	dash.AuditActionKeyIssued:          "let an agent collect the key",
	dash.AuditActionKeyRevoked:         "revoked the key",
	dash.AuditActionPermissionApproved: "granted more to the key",
	dash.AuditActionPermissionDenied:   "denied more to the key",
	dash.AuditActionPermissionSentBack: "asked for changes of a request by the key",
}

// labels name each action in the filter.
var labels = map[dash.AuditAction]string{
	dash.AuditActionTeamSetUp:          "Team set up",
	dash.AuditActionPersonSignedIn:     "Sign-ins",
	dash.AuditActionAccessApproved:     "Access approved",
	dash.AuditActionAccessDenied:       "Access denied",
	dash.AuditActionAccessSentBack:     "Access sent back",
	dash.AuditActionKeyIssued:          "Keys collected",
	dash.AuditActionKeyRevoked:         "Keys revoked",
	dash.AuditActionPermissionApproved: "Permissions granted",
	dash.AuditActionPermissionDenied:   "Permissions denied",
	dash.AuditActionPermissionSentBack: "Permissions sent back",
}

// Get shows the log.
func Get(v *visit.Visit) error {
	if _, err := v.Me(); err != nil {
		return err
	}
	query := v.R.URL.Query()
	limit := dash.Limit(pageSize)
	params := dash.ListAuditParams{Limit: &limit}
	p := Page{}
	if action := dash.AuditAction(query.Get("action")); labels[action] != "" { // of another: all
		p.Action, params.Action = action, &action
	}
	if cursor := query.Get("cursor"); cursor != "" {
		params.Cursor, p.Later = &cursor, true
	}
	rsp, err := apiclient.Check(v.API.ListAuditWithResponse(v.R.Context(), &params))
	if _, hidden := errors.AsType[dash.ForbiddenRefusal](err); hidden {
		p.Hidden = true
		return p.show(v)
	}
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no audit log")
	}
	for _, e := range rsp.JSON200.Entries {
		p.Entries = append(p.Entries, entry(v, e))
	}
	if next, _ := rsp.JSON200.NextCursor.Get(); next != "" {
		q := url.Values{"cursor": {next}}
		if p.Action != "" {
			q.Set("action", string(p.Action))
		}
		p.More = "/audit?" + q.Encode()
	}
	return p.show(v)
}

func (p Page) show(v *visit.Visit) error {
	return v.Show(http.StatusOK, v.Frame("Audit", layout.Audit, Sheet), body(p))
}

func entry(v *visit.Visit, e dash.AuditEntry) Entry {
	out := Entry{
		At: layout.Moment{Now: v.Now, At: e.At.Time}, By: visible.Text(e.By.Name, 100), What: words[e.Action], Address: visible.Text(e.Address, 60),
	}
	if out.What == "" {
		out.What = visible.Text(string(e.Action), 60)
	}
	if e.Subject.Kind != dash.AuditSubjectKindPerson {
		out.Whom = visible.Text(e.Subject.Name, 200)
	}
	var scope []string
	for _, permission := range e.Permissions {
		scope = append(scope, string(permission))
	}
	out.Scope = visible.Text(strings.Join(scope, ", "), 400)
	if e.Note != nil {
		out.Note = visible.Lines(*e.Note, 600)
	}
	return out
}

// everything is what the filter is called that lets everything through.
const everything = "everything"

func (p Page) filter() layout.Field {
	options := []layout.Option{{Value: everything, Label: "Everything"}}
	for _, action := range dash.AllAuditActions {
		options = append(options, layout.Option{Value: string(action), Label: labels[action]})
	}
	return layout.Field{Name: "action", Label: "Show", Type: "select", Options: options, Value: cmp.Or(string(p.Action), everything)}
}
