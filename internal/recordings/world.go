// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/testkit"
)

// A world is a dashboard that nothing has happened to: a fresh database, a clock that stands still and randomness
// that repeats, so that the same calls get the same bytes.
type world struct {
	ctx     context.Context
	dir     string
	store   store.Store
	server  *dashboard.Server
	handler http.Handler

	cookie, csrf string // of the person who signed in last
	key          string // of the agent that was approved last
	names        names  // what scripts call things that were made
	until        string // what the last frame of a stream holds
	err          error  // the first thing that went wrong while the world was brought about
}

const publicURL = "http://dashboard.example"

func newWorld(ctx context.Context) (*world, error) {
	dir, err := os.MkdirTemp("", "50arms-record-")
	if err != nil {
		return nil, err
	}
	w := &world{ctx: ctx, dir: dir}
	now := func() time.Time { return testkit.Start }
	w.store, err = sqlstore.Open(ctx, filepath.Join(dir, "dashboard.db"), sqlstore.Options{
		Now: now, NewID: func() string { return noID },
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	files, err := blobs.Open(ctx, blobs.FileURL(filepath.Join(dir, "attachments")))
	if err != nil {
		return nil, errors.Join(err, w.store.Close(), os.RemoveAll(dir))
	}
	w.server, err = dashboard.New(ctx, dashboard.Config{
		Store: w.store, Blobs: files, PublicURL: publicURL, Now: now, Random: &testkit.Random{}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.handler = w.server.Handler()
	return w, nil
}

func (w *world) close() error {
	if w.server == nil {
		return errors.Join(w.store.Close(), os.RemoveAll(w.dir))
	}
	return errors.Join(w.server.Close(), os.RemoveAll(w.dir))
}

// RoundTrip serves a request in memory: there is no port that could differ from run to run.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, end := context.WithTimeout(r.Context(), time.Minute) // a stream would wait for ever for what does not come
	defer end()
	served := r.Clone(ctx)
	served.RequestURI, served.RemoteAddr = "", "192.0.2.7:40000"
	if served.Body == nil {
		served.Body = http.NoBody
	}
	out := httptest.NewRecorder()
	w.handler.ServeHTTP(&reader{ResponseRecorder: out, until: w.until, end: end}, served)
	res := out.Result()
	res.Request = r
	return res, nil
}

// A reader leaves a stream at the end of the frame that holds a text.
type reader struct {
	*httptest.ResponseRecorder
	until string
	end   func()
}

func (r *reader) Write(b []byte) (int, error) {
	n, err := r.ResponseRecorder.Write(b)
	if r.until != "" {
		if _, rest, ok := strings.Cut(r.Body.String(), r.until); ok && strings.Contains(rest, "\n\n") {
			r.end()
		}
	}
	return n, err
}

// request makes a call of the contract. A body that is a string goes out as it is.
func (w *world) request(method, path string, body any) *http.Request {
	var payload io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		payload = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		w.fail(err)
		payload = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(w.ctx, method, publicURL+path, payload)
	w.fail(err)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (w *world) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// byPerson sends the call as the person who signed in last.
func (w *world) byPerson(r *http.Request) *http.Request {
	r.Header.Set("Cookie", w.cookie)
	if r.Method != http.MethodGet {
		r.Header.Set("X-CSRF-Token", w.csrf)
	}
	return r
}

// byKey sends the call as the agent that was approved last.
func (w *world) byKey(r *http.Request) *http.Request {
	r.Header.Set("Authorization", "Bearer "+w.key)
	return r
}

// answer makes a call that is not recorded and decodes what it answered.
func (w *world) answer(r *http.Request, into any) *http.Response {
	if w.err != nil {
		return &http.Response{}
	}
	res, err := w.RoundTrip(r)
	if err != nil {
		w.fail(err)
		return &http.Response{}
	}
	body, err := io.ReadAll(res.Body)
	w.fail(err)
	if res.StatusCode > 299 {
		w.fail(fmt.Errorf("%s %s answered %s: %s", r.Method, r.URL.Path, res.Status, body))
	} else if into != nil && len(body) > 0 {
		w.fail(json.Unmarshal(body, into))
	}
	return res
}

func (w *world) setupBody() dash.Setup {
	return dash.Setup{
		Token: w.server.SetupToken(), Team: dash.NewTeam{Slug: "acme", Name: "Acme"}, Name: "Ada", Email: "ada@example.com", Password: testkit.Password,
	}
}

// signedIn makes the first team and signs its first person in.
func (w *world) signedIn() *world {
	var me dash.Me
	w.keepSession(w.answer(w.request("POST", "/api/auth/setup", w.setupBody()), &me), me)
	return w
}

func (w *world) keepSession(res *http.Response, me dash.Me) {
	for _, c := range res.Cookies() {
		w.cookie = c.Name + "=" + c.Value
	}
	if me.CsrfToken != nil {
		w.csrf = *me.CsrfToken
	}
}

// asked is an access request that waits for a person.
func (w *world) asked() (dash.AccessRequestCreated, dash.AccessRequest) {
	var created dash.AccessRequestCreated
	w.answer(w.request("POST", "/api/access-requests", asking), &created)
	var shown dash.AccessRequest
	w.answer(w.byPerson(w.request("GET", "/api/access-requests/"+created.PublicID, nil)), &shown)
	return created, shown
}

var asking = dash.AccessRequestCreate{
	Title:  new("Mend the checkout"),
	Client: dash.AskingClient{Name: "claude-code", Version: new("2.1.0"), Host: new("ada-laptop"), Project: new("shop")},
}

func (w *world) decide(verdict string, body any, publicID string) {
	w.answer(w.byPerson(w.request("POST", "/api/access-requests/"+publicID+"/"+verdict, body)), nil)
}

// approvedKey is an agent with a key of the person who signed in.
func (w *world) approvedKey() *world {
	created, shown := w.asked()
	w.decide("approve", dash.AccessRequestApproval{Digest: shown.Digest}, created.PublicID)
	var claimed dash.AccessRequestClaimed
	w.answer(w.request("POST", "/api/access-requests/claim", dash.AccessRequestClaim{Secret: created.Secret}), &claimed)
	if claimed.APIKey == nil {
		w.fail(errors.New("no key was handed out"))
		return w
	}
	w.key = *claimed.APIKey
	return w
}

func (w *world) keyID() string {
	var me dash.Me
	w.answer(w.byKey(w.request("GET", "/api/auth/me", nil)), &me)
	if me.Key == nil {
		w.fail(errors.New("the key does not know itself"))
		return ""
	}
	return me.Key.ID
}
