// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/store"
)

// touchEvery is how fine the last use of a key is noted: a write at each call would buy nothing.
const touchEvery = time.Minute

// admit finds out who calls and whether they may.
func (g *guard) admit(c *Call, r *http.Request) error {
	if c.Operation.Permission == dash.Public {
		if hashes := g.loginHashes(r); len(hashes) > 0 {
			c.LoginHash = hashes[0]
		}
		return access.Allow(c.Operation, claimed(r))
	}
	if err := g.identify(c, r); err != nil {
		return err
	}
	return access.Allow(c.Operation, c.Principal)
}

// claimed is who a public call says it comes from, unproved. That can only refuse: what is for people alone is not for
// whoever sends a key, be it a good one or not.
func claimed(r *http.Request) *access.Principal {
	if r.Header["Authorization"] == nil {
		return nil
	}
	return &access.Principal{Kind: dash.MeKindKey}
}

// identify finds out who calls. A call with an Authorization header is judged by that alone.
func (g *guard) identify(c *Call, r *http.Request) error {
	if authorization := r.Header["Authorization"]; authorization != nil {
		return g.byKey(c, r, authorization)
	}
	return g.byLogin(c, r)
}

// again finds out who sends a request whose call runs already.
func (g *guard) again(r *http.Request) (*access.Principal, error) {
	c := &Call{}
	if err := g.identify(c, r); err != nil {
		return nil, err
	}
	if c.Principal == nil {
		return nil, dash.UnauthenticatedRefusal{Message: "sign in first"}
	}
	return c.Principal, nil
}

func (g *guard) byKey(c *Call, r *http.Request, authorization []string) error {
	scheme, token, _ := strings.Cut(authorization[0], " ")
	if len(authorization) != 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return dash.UnauthenticatedRefusal{Message: "send one header Authorization: Bearer <key>"}
	}
	key, team, err := g.Store.KeyByHash(r.Context(), access.Hash(token))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return dash.UnauthenticatedRefusal{Message: "this server has given out no such key: ask for access"}
	case err != nil:
		return fmt.Errorf("key: %w", err)
	case !key.RevokedAt.IsZero():
		return dash.KeyRevokedRefusal{
			Message:   key.RevokedBy.Name + " revoked this key",
			RevokedBy: key.RevokedBy.Name,
			RevokedAt: dash.At(key.RevokedAt),
		}
	}
	now := g.Now()
	if access.Lapsed(key.LastUsedAt, now) {
		return dash.UnauthenticatedRefusal{Message: "this key lapsed, unused for 24 hours: ask for access again"}
	}
	if now.Sub(key.LastUsedAt) >= touchEvery {
		// A database that takes no writes still answers reads; at worst the key lapses a little early.
		if err := g.Store.TouchKey(r.Context(), key.ID, now); err != nil {
			g.Log.WarnContext(r.Context(), "last use of a key not noted", "key", key.ID, "error", err)
		} else {
			key.LastUsedAt = now
		}
	}
	c.Key = key
	c.Principal = &access.Principal{
		Kind:        dash.MeKindKey,
		TeamID:      team.ID,
		Team:        dash.TeamRef{Slug: team.Slug, Name: team.Name},
		Person:      dash.PersonRef{ID: key.OwnerID, Name: key.OwnerName},
		Permissions: key.Permissions,
		KeyID:       key.ID,
	}
	return nil
}

// byLogin takes the first cookie that holds: another server on the host may have planted one of the same name.
func (g *guard) byLogin(c *Call, r *http.Request) error {
	hashes := g.loginHashes(r)
	for _, hash := range hashes {
		err := g.asPerson(c, r, hash)
		if err == nil {
			return nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("browser session: %w", err)
		}
	}
	if len(hashes) > 0 {
		return dash.UnauthenticatedRefusal{Message: "this browser session has ended: sign in again"}
	}
	return nil
}

func (g *guard) asPerson(c *Call, r *http.Request, hash string) error {
	login, person, team, err := g.Store.Login(r.Context(), hash, g.Now())
	if err != nil {
		return err
	}
	c.LoginHash = hash
	c.Principal = &access.Principal{
		Kind:        dash.MeKindPerson,
		TeamID:      team.ID,
		Team:        dash.TeamRef{Slug: team.Slug, Name: team.Name},
		Person:      dash.PersonRef{ID: person.ID, Name: person.Name},
		Permissions: person.Permissions,
		CSRFToken:   login.CSRFToken,
	}
	return nil
}

// cookiesMost is how many cookies of the session's name are looked at.
const cookiesMost = 4

// loginHashes are the hashes of the session cookies that came along.
func (g *guard) loginHashes(r *http.Request) (hashes []string) {
	for _, cookie := range r.CookiesNamed(g.Cookie) {
		if cookie.Value != "" && len(hashes) < cookiesMost {
			hashes = append(hashes, access.Hash(cookie.Value))
		}
	}
	return hashes
}
