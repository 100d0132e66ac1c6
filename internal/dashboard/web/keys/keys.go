// SPDX-License-Identifier: Apache-2.0

// Package keys is the page of the keys that a person gave to agents, or for who runs the team everybody's: what each may,
// and how it ends. A revocation is asked for twice, on a page of its own: it cannot be taken back.
package keys

import (
	_ "embed"
	"errors"
	"net/http"
	"net/url"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/asked"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// pageSize is how many keys a page shows.
const pageSize = 50

//go:embed keys.css
var css []byte

// Sheet is the page's own style.
var Sheet = assets.New("keys.css", css)

// Page is what the page shows.
type Page struct {
	Keys      []Key
	Everyones bool // the viewer sees the keys of the whole team
	Later     bool // a page after the first
	More      string
	CSRFToken string
}

// Key is a key. Its texts are fit to be shown.
type Key struct {
	ID, Prefix, Title, Owner string
	Mine                     bool
	Holds                    []asked.Grant
	Made, Used, Lapses       layout.Moment
	Revoked                  layout.Moment // zero while it holds
	RevokedBy                string
}

// Live says whether the key still opens something.
func (k Key) Live() bool { return k.Revoked.At.IsZero() && k.Lapses.Now.Before(k.Lapses.At) }

// State is how the key stands, in a word.
func (k Key) State() string {
	switch {
	case !k.Revoked.At.IsZero():
		return "Revoked"
	case !k.Live():
		return "Lapsed"
	}
	return "Live"
}

// Get shows the keys.
func Get(v *visit.Visit) error {
	me, err := v.Me()
	if err != nil {
		return err
	}
	p := Page{CSRFToken: *me.CsrfToken}
	if p.Everyones, err = v.May(dash.PermissionTeamAdmin); err != nil {
		return err
	}
	limit := dash.Limit(pageSize)
	params := dash.ListKeysParams{Limit: &limit}
	if cursor := v.R.URL.Query().Get("cursor"); cursor != "" {
		params.Cursor, p.Later = &cursor, true
	}
	page, err := list(v, params)
	if err != nil {
		return err
	}
	for _, k := range page.Keys {
		p.Keys = append(p.Keys, shown(v, me, k))
	}
	if next, _ := page.NextCursor.Get(); next != "" {
		p.More = "/keys?" + url.Values{"cursor": {next}}.Encode()
	}
	return v.Show(http.StatusOK, v.Frame("Keys", layout.Keys, asked.Sheet, Sheet), body(p))
}

func list(v *visit.Visit, params dash.ListKeysParams) (dash.KeyPage, error) {
	rsp, err := apiclient.Check(v.API.ListKeysWithResponse(v.R.Context(), &params))
	if err != nil {
		return dash.KeyPage{}, err
	}
	if rsp.JSON200 == nil {
		return dash.KeyPage{}, errors.New("the API answered no list of keys")
	}
	return *rsp.JSON200, nil
}

func shown(v *visit.Visit, me dash.Me, k dash.Key) Key {
	at := func(t dash.Time) layout.Moment { return layout.Moment{Now: v.Now, At: t.Time} }
	out := Key{
		ID: k.ID, Prefix: visible.Text(k.Prefix, 20), Title: visible.Text(k.Title, 200), Owner: visible.Text(k.Owner.Name, 100),
		Mine: k.Owner.ID == me.Person.ID, Holds: asked.Listed(k.Permissions),
		Made: at(k.CreatedAt), Used: at(k.LastUsedAt), Lapses: at(k.LapsesAt),
	}
	if k.RevokedAt != nil {
		out.Revoked = at(*k.RevokedAt)
	}
	if k.RevokedBy != nil {
		out.RevokedBy = visible.Text(k.RevokedBy.Name, 100)
	}
	return out
}

// Ask asks whether a key is to end.
func Ask(v *visit.Visit) error {
	me, err := v.Me()
	if err != nil {
		return err
	}
	k, err := find(v, me, v.R.PathValue("id"))
	if err != nil {
		return err
	}
	title := "Revoke a key"
	if !k.Live() {
		title = "This key has ended"
	}
	return v.Show(http.StatusOK, v.Frame(title, layout.Keys, asked.Sheet, Sheet), asking(k, *me.CsrfToken))
}

// find looks for a key in the pages of the list: there is no other way to read one.
func find(v *visit.Visit, me dash.Me, id string) (Key, error) {
	limit := dash.Limit(200)
	params := dash.ListKeysParams{Limit: &limit}
	for {
		page, err := list(v, params)
		if err != nil {
			return Key{}, err
		}
		for _, k := range page.Keys {
			if k.ID == id {
				return shown(v, me, k), nil
			}
		}
		next, _ := page.NextCursor.Get()
		if next == "" || params.Cursor != nil && *params.Cursor == next {
			return Key{}, dash.NotFoundRefusal{Message: "there is no such key"}
		}
		params.Cursor = &next
	}
}

// Revoke ends a key, and leads to what is told of one that has ended. That it had ended already is what was wanted.
func Revoke(v *visit.Visit) error {
	v.Here = "/keys"
	if _, err := apiclient.Check(v.API.RevokeKeyWithResponse(v.R.Context(), v.R.PathValue("id"))); err != nil {
		return err
	}
	return v.Go("/keys/" + url.PathEscape(v.R.PathValue("id")) + "/revoke")
}
