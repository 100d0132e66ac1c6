// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/store"
)

// Password is that of everybody in tests.
const Password = "correct horse battery staple"

// A Caller calls a dashboard: a person with a cookie, an agent with a key, or nobody.
type Caller struct {
	Cookie *http.Cookie
	CSRF   string
	Key    string
	Me     dash.Me

	d *Running
}

// At is the same caller at another server.
func (c *Caller) At(d *Running) *Caller {
	there := *c
	there.d = d
	return &there
}

// Answer is what came back of a call.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Code is the code of a refusal; "" of a success.
func (a Answer) Code() string {
	var refusal struct{ Error string }
	if a.Status < 400 || json.Unmarshal(a.Body, &refusal) != nil {
		return ""
	}
	return refusal.Error
}

// Nobody is a caller without a credential.
func (d *Running) Nobody() *Caller { return &Caller{d: d} }

// SetUp makes the team acme and its first person, Ada.
func (d *Running) SetUp() *Caller {
	d.t.Helper()
	a := d.Nobody().Call("POST", "/api/auth/setup", dash.Setup{
		Token: d.Server.SetupToken(), Team: dash.NewTeam{Slug: "acme", Name: "Acme"}, Name: "Ada",
		Email: "ada@example.com", Password: Password,
	})
	return d.signedIn(a, http.StatusCreated)
}

// SignIn signs a person in.
func (d *Running) SignIn(email string) *Caller {
	d.t.Helper()
	return d.signedIn(d.Nobody().Call("POST", "/api/auth/login", dash.Login{Email: email, Password: Password}), http.StatusOK)
}

func (d *Running) signedIn(a Answer, status int) *Caller {
	d.t.Helper()
	c := &Caller{d: d, Me: Decode[dash.Me](d.t, a, status)}
	cookies := (&http.Response{Header: a.Header}).Cookies()
	if len(cookies) != 1 || c.Me.CsrfToken == nil {
		d.t.Fatalf("signing in gave %d cookies and %s", len(cookies), a.Body)
	}
	c.Cookie, c.CSRF = cookies[0], *c.Me.CsrfToken
	return c
}

// Join adds a person to the team that SetUp made and signs them in.
func (d *Running) Join(name string, permissions ...dash.Permission) *Caller {
	d.t.Helper()
	ada, err := d.Store.PersonByEmail(d.t.Context(), "ada@example.com")
	if err != nil {
		d.t.Fatal(err)
	}
	email := strings.ToLower(name) + "@example.com"
	err = d.Store.AddPerson(d.t.Context(), store.Person{
		ID: access.Hash(email)[:32], TeamID: ada.TeamID, Name: name, Email: email, PasswordHash: ada.PasswordHash,
		Permissions: permissions, CreatedAt: d.Clock.Now(),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.SignIn(email)
}

// Agent asks for a key as an agent would and has a person approve it, with the usual permissions if none are named.
func (d *Running) Agent(owner *Caller, permissions ...dash.Permission) *Caller {
	d.t.Helper()
	created := d.Ask(dash.AccessRequestCreate{Client: dash.AskingClient{Name: "claude-code"}})
	a := owner.Call("POST", "/api/access-requests/"+created.PublicID+"/approve", dash.AccessRequestApproval{
		Digest: owner.See(created).Digest, Permissions: permissions,
	})
	Decode[dash.AccessRequest](d.t, a, http.StatusOK)
	claimed := d.Claim(created)
	if claimed.APIKey == nil {
		d.t.Fatalf("no key was handed out: %+v", claimed)
	}
	c := &Caller{d: d, Key: *claimed.APIKey}
	c.Me = Decode[dash.Me](d.t, c.Call("GET", "/api/auth/me", nil), http.StatusOK)
	return c
}

// Ask makes an access request.
func (d *Running) Ask(body dash.AccessRequestCreate) dash.AccessRequestCreated {
	d.t.Helper()
	return Decode[dash.AccessRequestCreated](d.t, d.Nobody().Call("POST", "/api/access-requests", body), http.StatusCreated)
}

// Claim asks what became of an access request.
func (d *Running) Claim(created dash.AccessRequestCreated) dash.AccessRequestClaimed {
	d.t.Helper()
	a := d.Nobody().Call("POST", "/api/access-requests/claim", dash.AccessRequestClaim{Secret: created.Secret})
	return Decode[dash.AccessRequestClaimed](d.t, a, http.StatusOK)
}

// See reads an access request as the caller sees it.
func (c *Caller) See(created dash.AccessRequestCreated) dash.AccessRequest {
	c.d.t.Helper()
	return Decode[dash.AccessRequest](c.d.t, c.Call("GET", "/api/access-requests/"+created.PublicID, nil), http.StatusOK)
}

// Call makes a call with the caller's credential. A body that is a string goes out as it is, any other as JSON.
func (c *Caller) Call(method, path string, body any) Answer {
	c.d.t.Helper()
	return c.Do(c.Request(method, path, body))
}

// Request is a call with the caller's credential, for Do.
func (c *Caller) Request(method, path string, body any) *http.Request {
	c.d.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			c.d.t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(c.d.t.Context(), method, c.d.URL+path, content)
	if err != nil {
		c.d.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if c.Cookie != nil {
		r.AddCookie(c.Cookie)
		r.Header.Set("X-CSRF-Token", c.CSRF)
	}
	return r
}

// Do sends a request and reads the whole answer. It follows no redirect.
func (c *Caller) Do(r *http.Request) Answer {
	c.d.t.Helper()
	response, err := c.d.client.Do(r)
	if err != nil {
		c.d.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.d.t.Fatal(err)
	}
	return Answer{response.StatusCode, response.Header, body}
}

// Decode reads an answer that has to have a status.
func Decode[T any](t testing.TB, a Answer, status int) (out T) {
	t.Helper()
	if a.Status != status {
		t.Fatalf("answered %d, want %d: %s", a.Status, status, a.Body)
	}
	if err := json.Unmarshal(a.Body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
