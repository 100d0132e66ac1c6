// SPDX-License-Identifier: Apache-2.0

// Package setup is the page behind the link that a new server prints: it makes the first team and its first person.
// The link's token opens the server to whoever holds it, so the page moves it into a hidden field and puts it nowhere
// else: no link, no error page.
package setup

import (
	"errors"
	"net/http"
	"strings"
	"unicode"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Form is what the page shows.
type Form struct {
	Token    string
	Team     string
	Slug     string
	Name     string
	Email    string
	Problems []layout.Problem
}

var fields = map[string]visit.Field{
	"/team/name": {ID: "team_name", Label: "Team name"},
	"/team/slug": {ID: "team_slug", Label: "Short name"},
	"/name":      {ID: "name", Label: "Your name"},
	"/email":     {ID: "email", Label: "Email address"},
	"/password":  {ID: "password", Label: "Password"},
	"/token":     {Label: "The link's token"},
}

func (f Form) inputs() []layout.Field {
	inputs := []layout.Field{
		{Name: "team_name", Label: "Team name", Type: "text", Value: f.Team, Autocomplete: "organization", MaxLength: 100},
		{Name: "team_slug", Label: "Short name", Optional: true, Type: "text", Value: f.Slug, Autocomplete: "off", MaxLength: 100, Exact: true,
			Hint: "Agents name the team by it: lower-case letters, digits and hyphens. Left empty, it is made from the team name."},
		{Name: "name", Label: "Your name", Type: "text", Value: f.Name, Autocomplete: "name", MaxLength: 100},
		{Name: "email", Label: "Email address", Type: "email", Value: f.Email, Autocomplete: "username", MaxLength: 254, Exact: true,
			Hint: "You sign in with it. Nothing is sent to it."},
		{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password", MinLength: 12, MaxLength: 200, Exact: true,
			Hint: "At least 12 characters. A few words are easier to keep than signs."},
	}
	for i := range inputs {
		inputs[i].Problem = layout.For(f.Problems, inputs[i].Name)
	}
	return inputs
}

// Get shows the form for the link's token, unless the browser is a person's already: then the link was used. To anybody
// else the API does not tell before the form is sent.
func Get(v *visit.Visit) error {
	v.Here = "/" // never the address with the token
	_, err := v.Me()
	if err == nil {
		return v.Show(http.StatusOK, v.Frame("Already set up", layout.Nowhere), layout.Says(layout.Message{
			Heading: "This server is already set up",
			Text:    []string{"The setup link works once, and you are signed in."},
			Link:    "/", LinkText: "Go to the start",
		}))
	}
	switch refusal, _ := errors.AsType[dash.Refusal](err); refusal.(type) {
	case dash.UnauthenticatedRefusal, dash.KeyRevokedRefusal:
	default:
		return err
	}
	return show(v, http.StatusOK, Form{Token: v.R.URL.Query().Get("token")})
}

// Post sets the server up and signs its first person in.
func Post(v *visit.Visit) error {
	form := Form{
		Token: v.Field("token"), Team: strings.TrimSpace(v.Field("team_name")), Slug: strings.TrimSpace(v.Field("team_slug")),
		Name: strings.TrimSpace(v.Field("name")), Email: strings.TrimSpace(v.Field("email")),
	}
	slug := form.Slug
	if slug == "" {
		slug = Slug(form.Team)
	}
	if slug == "" && form.Team != "" {
		form.Problems = []layout.Problem{{Field: "team_slug", Text: "The team name has no letter or digit that a short name can be made of. Write one."}}
		return show(v, http.StatusBadRequest, form)
	}
	body := dash.Setup{Token: form.Token, Name: form.Name, Email: form.Email, Password: v.Field("password")}
	body.Team.Slug, body.Team.Name = slug, form.Team
	_, err := apiclient.Check(v.API.SetUpWithResponse(v.R.Context(), body))
	switch refusal, _ := errors.AsType[dash.Refusal](err); r := refusal.(type) {
	case dash.InvalidRequestRefusal:
		form.Problems = visit.Problems(r, fields)
		return show(v, r.RefusalStatus(), form)
	case dash.WrongSetupTokenRefusal:
		form.Problems = []layout.Problem{{Text: "This setup link does not hold. Open the one that the server printed at its last start: each start makes a new link."}}
		return show(v, r.RefusalStatus(), form)
	case dash.AlreadySetUpRefusal:
		return v.Show(r.RefusalStatus(), v.Frame("Already set up", layout.Nowhere), layout.Says(layout.Message{
			Heading: "This server is already set up",
			Text:    []string{"The setup link works once. Sign in, or ask a person who runs your team."},
			Link:    "/signin", LinkText: "Sign in",
		}))
	case dash.RateLimitedRefusal:
		form.Problems = []layout.Problem{{Text: "Too many tries from your address. " + visit.Wait(r)}}
		v.RetryAfter(r)
		return show(v, r.RefusalStatus(), form)
	}
	if err != nil {
		return err
	}
	return v.Go("/")
}

func show(v *visit.Visit, status int, form Form) error {
	frame := v.Frame("Set up", layout.Nowhere)
	frame.Problems = len(form.Problems) > 0
	if form.Token == "" {
		return v.Show(status, frame, layout.Says(layout.Message{
			Heading: "Set up this server",
			Text:    []string{"This takes the whole setup link, with its token. The server prints the link when it starts, as long as nobody has set it up."},
			Link:    "/signin", LinkText: "Sign in instead",
		}))
	}
	return v.Show(status, frame, body(form))
}

// Slug makes a team's short name of its name: "Acme & Söhne" is acme-s-hne. "" if nothing is left.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	slug := strings.Join(words, "-")
	return strings.TrimRight(slug[:min(len(slug), 100)], "-")
}
