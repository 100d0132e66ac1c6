// SPDX-License-Identifier: Apache-2.0

// Package asked is what the pages of requests share, whatever is asked for: the code to compare, what a permission
// means, the forms of an answer and why one did not count.
package asked

import (
	_ "embed"
	"errors"
	"net/http"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
)

//go:embed asked.css
var css []byte

// Sheet is the style of the page of a request.
var Sheet = assets.New("asked.css", css)

// Decision is what a person made of a request. Its texts are fit to be shown.
type Decision struct {
	Verdict dash.RequestDecisionVerdict
	By      string
	Mine    bool // the viewer decided
	At      layout.Moment
	Note    string
	Grants  []Grant
}

// Made is a decision as a viewer sees it; nil of none.
func Made(d *dash.RequestDecision, viewer dash.PersonRef, at func(dash.Time) layout.Moment) *Decision {
	if d == nil {
		return nil
	}
	note := ""
	if d.Note != nil {
		note = visible.Lines(*d.Note, 600)
	}
	return &Decision{
		Verdict: d.Verdict, By: visible.Text(d.By.Name, 100), Mine: d.By.ID == viewer.ID, At: at(d.At), Note: note, Grants: Listed(d.Permissions),
	}
}

// The names of the fields in which a person says something to the agent.
const (
	ChangesField = "changes_note"
	DenialField  = "deny_note"
)

// Changes is the field for what has to change.
func Changes(value string, problems []layout.Problem) layout.Field {
	return layout.Field{
		Name: ChangesField, Label: "What has to change?", Type: "textarea", Value: value, MaxLength: 500,
		Hint: "The agent reads it and may ask again.", Problem: layout.For(problems, ChangesField),
	}
}

// Denial is the field for why it is denied.
func Denial(value string, problems []layout.Problem) layout.Field {
	return layout.Field{
		Name: DenialField, Label: "Reason for denying", Optional: true, Type: "textarea", Value: value, MaxLength: 500,
		Hint: "The agent is told.", Problem: layout.For(problems, DenialField),
	}
}

// SayWhat is the problem of who asks for changes and does not say which.
var SayWhat = layout.Problem{Field: ChangesField, Text: "Say what has to change: the agent has nothing else to go by."}

// Overtaken says why an answer decided nothing, if that is because the request is not what the page showed.
func Overtaken(err error) (text string, status int, ok bool) {
	switch refusal, _ := errors.AsType[dash.Refusal](err); r := refusal.(type) {
	case dash.NotPendingRefusal:
		return "Your answer came too late: the request was already answered, or had lapsed. What you sent changed nothing. This is how it stands:", r.RefusalStatus(), true
	case dash.DigestMismatchRefusal:
		return "The request is not the one that your page showed, so nothing was decided. Read it again as it stands now, then answer.", r.RefusalStatus(), true
	case dash.InvalidRequestRefusal:
		if len(r.Issues) > 0 && r.Issues[0].Path == "/digest" {
			return "Your answer does not name the request that it is for, so nothing was decided. Read the request again, then answer.", http.StatusBadRequest, true
		}
	}
	return "", 0, false
}

// State is a status in a word or two.
func State(s dash.RequestStatus) string {
	switch s {
	case dash.RequestStatusPending:
		return "Waiting"
	case dash.RequestStatusApproved, dash.RequestStatusClaimed:
		return "Approved"
	case dash.RequestStatusDenied:
		return "Denied"
	case dash.RequestStatusRevisionRequested:
		return "Changes asked"
	case dash.RequestStatusExpired:
		return "Lapsed"
	}
	return string(s)
}

// short is enough of a digest to compare by eye.
func short(digest string) string {
	if len(digest) <= 20 {
		return digest
	}
	return digest[:8] + "…" + digest[len(digest)-8:]
}
