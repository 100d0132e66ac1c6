// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/store"
)

// loginLasts is how long a browser session holds, used or not.
const loginLasts = 30 * 24 * time.Hour

// SetUp makes the first team and its first person, who is signed in then.
func (h *Handler) SetUp(ctx context.Context, request dash.SetUpRequestObject) (dash.SetUpResponseObject, error) {
	already := dash.AlreadySetUpRefusal{Message: "this server is already set up: sign in instead"}
	body := request.Body
	switch done, err := h.Store.IsSetUp(ctx); {
	case err != nil:
		return nil, during("set up", err)
	case done:
		return nil, already
	}
	team := store.Team{Slug: body.Team.Slug, Name: body.Team.Name, CreatedAt: h.Now()}
	person := store.Person{Name: body.Name, Email: body.Email, Permissions: access.Founding(), CreatedAt: team.CreatedAt}
	if err := h.ids(&team.ID, &person.ID); err != nil {
		return nil, err
	}
	person.TeamID = team.ID
	var err error
	if person.PasswordHash, err = h.passwords.hash(ctx, body.Password); err != nil {
		return nil, err
	}
	login, cookie, err := h.newLogin(person)
	if err != nil {
		return nil, err
	}
	trail, err := h.trail(ctx)
	if err != nil {
		return nil, err
	}
	err = h.Store.SetUp(ctx, access.Hash(body.Token), store.Founding{Team: team, Person: person, Login: login, Trail: trail})
	switch {
	case errors.Is(err, store.ErrConflict):
		return nil, already
	case errors.Is(err, store.ErrNotFound):
		return nil, dash.WrongSetupTokenRefusal{Message: "use the link that the server printed at its last start"}
	case err != nil:
		return nil, during("set up", err)
	}
	return dash.SetUp201JSONResponse{
		Body:    signedIn(team, person, login),
		Headers: dash.SetUp201ResponseHeaders{SetCookie: &cookie},
	}, nil
}

// LogIn makes a new browser session, whatever cookie came along: a session that was planted is not taken over, and one
// that was open in this browser ends.
func (h *Handler) LogIn(ctx context.Context, request dash.LogInRequestObject) (dash.LogInResponseObject, error) {
	person, err := h.byPassword(ctx, request.Body.Email, request.Body.Password)
	if err != nil {
		return nil, err
	}
	team, err := h.Store.TeamByRef(ctx, person.TeamID)
	if err != nil {
		return nil, during("team of a person", err)
	}
	login, cookie, err := h.newLogin(person)
	if err != nil {
		return nil, err
	}
	if login.Trail, err = h.trail(ctx); err != nil {
		return nil, err
	}
	if err := h.Store.CreateLogin(ctx, login); err != nil {
		return nil, during("sign in", err)
	}
	if before := guard.From(ctx).LoginHash; before != "" {
		if err := h.Store.DeleteLogin(ctx, before); err != nil {
			return nil, during("end the browser session before", err)
		}
		h.Streams.Judge(before)
	}
	return dash.LogIn200JSONResponse{
		Body:    signedIn(team, person, login),
		Headers: dash.LogIn200ResponseHeaders{SetCookie: &cookie},
	}, nil
}

// byPassword finds a person. Whether the address or the password was wrong shows in neither the answer nor its time.
func (h *Handler) byPassword(ctx context.Context, email, password string) (store.Person, error) {
	wrong := dash.WrongCredentialsRefusal{Message: "no person has this address and password"}
	person, err := h.Store.PersonByEmail(ctx, email)
	if errors.Is(err, store.ErrNotFound) {
		if err := h.passwords.decoy(ctx, password); err != nil {
			return store.Person{}, err
		}
		return store.Person{}, wrong
	}
	if err != nil {
		return store.Person{}, during("find a person", err)
	}
	ok, err := h.passwords.matches(ctx, person.PasswordHash, password)
	if err == nil && !ok {
		err = wrong
	}
	return person, err
}

// LogOut ends the browser session that calls, and with it the streams that it has open at this server.
func (h *Handler) LogOut(ctx context.Context, _ dash.LogOutRequestObject) (dash.LogOutResponseObject, error) {
	login := guard.From(ctx).LoginHash
	if err := h.Store.DeleteLogin(ctx, login); err != nil {
		return nil, during("sign out", err)
	}
	h.Streams.Judge(login)
	gone := h.cookie("", -1)
	return dash.LogOut204Response{Headers: dash.LogOut204ResponseHeaders{SetCookie: &gone}}, nil
}

// GetMe says who calls.
func (h *Handler) GetMe(ctx context.Context, _ dash.GetMeRequestObject) (dash.GetMeResponseObject, error) {
	p := caller(ctx)
	me := dash.Me{Kind: p.Kind, Team: p.Team, Person: p.Person, CsrfToken: optional(p.CSRFToken)}
	if p.Kind == dash.MeKindKey {
		k := key(guard.From(ctx).Key)
		me.Key = &k
	}
	return dash.GetMe200JSONResponse(me), nil
}

// GetPermissions says what the caller holds.
func (h *Handler) GetPermissions(ctx context.Context, _ dash.GetPermissionsRequestObject) (dash.GetPermissionsResponseObject, error) {
	return dash.GetPermissions200JSONResponse{Permissions: access.Sorted(caller(ctx).Permissions)}, nil
}

// newLogin makes a browser session of a person, and the cookie that opens it.
func (h *Handler) newLogin(person store.Person) (store.Login, string, error) {
	now := h.Now()
	login := store.Login{PersonID: person.ID, TeamID: person.TeamID, CreatedAt: now, ExpiresAt: now.Add(loginLasts)}
	var token string
	if err := h.tokens(&token, &login.CSRFToken); err != nil {
		return store.Login{}, "", err
	}
	login.TokenHash = access.Hash(token)
	return login, h.cookie(token, int(loginLasts/time.Second)), nil
}

// cookie is the session cookie as a header. Scripts cannot read it, other sites cannot send it with a form.
func (h *Handler) cookie(token string, maxAge int) string {
	c := http.Cookie{
		Name: h.Cookie, Value: token, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: h.PublicURL.Scheme == "https",
	}
	return c.String()
}

func signedIn(team store.Team, person store.Person, login store.Login) dash.Me {
	return dash.Me{
		Kind:      dash.MeKindPerson,
		Team:      ref(team),
		Person:    dash.PersonRef{ID: person.ID, Name: person.Name},
		CsrfToken: &login.CSRFToken,
	}
}

// CookieName is the name of the session cookie of a server's database. Cookies do not tell ports apart: two servers on
// one machine would overwrite each other's.
func CookieName(instance string) string { return "50arms_session_" + instance[:min(8, len(instance))] }
