// SPDX-License-Identifier: Apache-2.0

// Package signin is the page where a person signs in, and the form that signs them out.
package signin

import (
	"errors"
	"net/http"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Form is what the page shows.
type Form struct {
	Next      string // where to go afterwards; "" is the start
	Email     string
	SignedOut bool // just now
	Unsent    bool // a form that was posted after its session had ended
	Request   bool // an agent's request waits behind Next
	Problems  []layout.Problem
}

func (f Form) email() layout.Field {
	return layout.Field{
		Name: "email", Label: "Email address", Type: "email", Value: f.Email, Autocomplete: "username",
		MaxLength: 254, Exact: true, Problem: layout.For(f.Problems, "email"),
	}
}

func (f Form) password() layout.Field {
	return layout.Field{
		Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password",
		MaxLength: 200, Exact: true, Problem: layout.For(f.Problems, "password"),
	}
}

// Get shows the form, or goes on where somebody is signed in.
func Get(v *visit.Visit) error {
	query := v.R.URL.Query()
	next := safe(query.Get("next"))
	_, err := v.Me()
	switch refusal, _ := errors.AsType[dash.Refusal](err); refusal.(type) {
	case dash.UnauthenticatedRefusal, dash.KeyRevokedRefusal:
		return show(v, http.StatusOK, Form{Next: next, SignedOut: query.Has("signed-out"), Unsent: query.Has("unsent")})
	}
	if err != nil {
		return err
	}
	return v.Go(orStart(next))
}

// Post signs in.
func Post(v *visit.Visit) error {
	form := Form{Next: safe(v.Field("next")), Email: v.Field("email")}
	v.Here = visit.SignIn(form.Next)
	_, err := apiclient.Check(v.API.LogInWithResponse(v.R.Context(), dash.Login{Email: form.Email, Password: v.Field("password")}))
	switch refusal, _ := errors.AsType[dash.Refusal](err); r := refusal.(type) {
	case dash.WrongCredentialsRefusal:
		form.Problems = []layout.Problem{{Field: "email", Text: "Nobody has this email address and password. Check both."}}
		return show(v, r.RefusalStatus(), form)
	case dash.InvalidRequestRefusal:
		form.Problems = visit.Problems(r, fields)
		return show(v, r.RefusalStatus(), form)
	case dash.RateLimitedRefusal:
		form.Problems = []layout.Problem{{Text: "Too many tries from your address. " + visit.Wait(r)}}
		v.RetryAfter(r)
		return show(v, r.RefusalStatus(), form)
	}
	if err != nil {
		return err
	}
	return v.Go(orStart(form.Next))
}

var fields = map[string]visit.Field{
	"/email":    {ID: "email", Label: "Email address"},
	"/password": {ID: "password", Label: "Password"},
}

// SignOut ends the session. Somebody who is signed out already has what they wanted.
func SignOut(v *visit.Visit) error {
	_, err := apiclient.Check(v.API.LogOutWithResponse(v.R.Context()))
	refusal, _ := errors.AsType[dash.Refusal](err)
	switch refusal.(type) {
	case dash.UnauthenticatedRefusal, dash.KeyRevokedRefusal:
		err = nil
	}
	if err != nil {
		return err
	}
	return v.Go("/signin?signed-out")
}

func show(v *visit.Visit, status int, form Form) error {
	form.Request = strings.HasPrefix(form.Next, "/approvals/")
	frame := v.Frame("Sign in", layout.Nowhere)
	frame.Problems = len(form.Problems) > 0
	return v.Show(status, frame, body(form))
}

// safe is next if it stays on this site, else "".
func safe(next string) string {
	if !visit.Local(next) {
		return ""
	}
	return next
}

func orStart(next string) string {
	if next == "" {
		return "/"
	}
	return next
}
