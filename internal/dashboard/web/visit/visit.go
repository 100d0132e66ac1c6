// SPDX-License-Identifier: Apache-2.0

// Package visit is one browser's call to one page: the API as that browser reaches it, the form that came along, and
// the ways to answer. A page is a function of a Visit that shows something, sends the browser on, or returns an error;
// here, and only here, an error becomes a page.
package visit

import (
	"bytes"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
)

// A Body is what a page takes with a post: a form of at most so many bytes, or a file.
type Body int64

// The bodies. A character takes up to 12 bytes in a form.
const (
	Form     Body = 64 << 10 // the largest of them holds a card's reasons and steps, or two notes of 500 characters
	LongForm Body = 2 << 20  // holds a text of 100,000 characters
	File     Body = -1       // is read by the page, with Upload, as it comes
)

// Site is what all visits share.
type Site struct {
	API http.Handler
	Now func() time.Time
	Log *slog.Logger
}

// Visit is one call to one page.
type Visit struct {
	W   http.ResponseWriter
	R   *http.Request
	API *dash.ClientWithResponses
	Now time.Time
	// Here is the page to come back to after signing in. A read comes back to itself; a page that takes a form sets it.
	Here string

	site *Site
	log  *slog.Logger
	me   *dash.Me
	may  []dash.Permission
	live *layout.Live
}

// Page serves page, which takes body with a post, and makes a page of its error.
func (s *Site) Page(page func(*Visit) error, body Body) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &Visit{W: w, R: r, Now: s.Now(), Here: "/", site: s, log: s.Log}
		w.Header().Set("Cache-Control", "no-store")
		if here := r.URL.RequestURI(); r.Method != http.MethodPost && Local(here) {
			v.Here = here
		}
		var err error
		if body != File {
			err = v.readForm(int64(body))
		}
		if err == nil {
			err = v.reach(r.PostForm.Get("csrf_token"))
		}
		if err == nil {
			err = page(v)
		}
		if err != nil {
			v.fail(err)
		}
	})
}

// reach makes the way to the API, with the token of the form that was posted.
func (v *Visit) reach(token string) (err error) {
	v.API, err = apiclient.New(v.site.API, v.W, v.R, token)
	return err
}

// badForm is a body that no form of ours sends.
type badForm struct {
	status int
	why    string
}

func (b badForm) Error() string { return b.why }

func (v *Visit) readForm(limit int64) error {
	if v.R.Method != http.MethodPost {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(v.R.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return badForm{http.StatusUnsupportedMediaType, "A form of this site sends its fields as application/x-www-form-urlencoded."}
	}
	v.R.Body = http.MaxBytesReader(v.W, v.R.Body, limit)
	err := v.R.ParseForm()
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return badForm{http.StatusRequestEntityTooLarge, "The form holds more than " + strconv.FormatInt(limit, 10) + " bytes."}
	}
	if err != nil && v.R.Context().Err() != nil { // the server gives a connection up that it cannot read on
		return badForm{http.StatusBadRequest, "The form did not arrive whole."}
	}
	if err != nil {
		return badForm{http.StatusBadRequest, "The form cannot be read."}
	}
	for _, values := range v.R.PostForm {
		for _, value := range values {
			if !typed(value) {
				return badForm{http.StatusBadRequest, "The form holds characters that nobody types."}
			}
		}
	}
	return nil
}

// typed says whether a person could have typed s: it is UTF-8 and holds no control character but tabs and line breaks.
func typed(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r'
	})
}

// Field is a field of the posted form, its line breaks as they were typed: browsers send each as two characters.
func (v *Visit) Field(name string) string {
	return strings.ReplaceAll(v.R.PostForm.Get(name), "\r\n", "\n")
}

// Me is the signed-in person. Its error, where nobody is signed in, leads to the sign-in page.
func (v *Visit) Me() (dash.Me, error) {
	if v.me != nil {
		return *v.me, nil
	}
	rsp, err := apiclient.Check(v.API.GetMeWithResponse(v.R.Context()))
	if err != nil {
		return dash.Me{}, err
	}
	if rsp.JSON200 == nil || rsp.JSON200.CsrfToken == nil {
		return dash.Me{}, errors.New("the API names a caller without a form token")
	}
	v.me = rsp.JSON200
	return *v.me, nil
}

// May says whether the signed-in person holds a permission, so that a page offers nobody what they may not do. Whether
// they may is still for the API to say.
func (v *Visit) May(p dash.Permission) (bool, error) {
	if v.may == nil {
		rsp, err := apiclient.Check(v.API.GetPermissionsWithResponse(v.R.Context()))
		if err != nil {
			return false, err
		}
		if rsp.JSON200 == nil {
			return false, errors.New("the API answered no permissions")
		}
		v.may = append([]dash.Permission{}, rsp.JSON200.Permissions...)
	}
	return slices.Contains(v.may, p), nil
}

// Frame is the shell for a page, with the header of whoever Me found.
func (v *Visit) Frame(title string, at layout.Section, sheets ...assets.File) layout.Frame {
	f := layout.Frame{Title: title, Section: at, Sheets: sheets, Live: v.live}
	if v.me != nil {
		f.Viewer = &layout.Viewer{
			Person:    visible.Text(v.me.Person.Name, 60),
			Team:      visible.Text(v.me.Team.Name, 60),
			CSRFToken: *v.me.CsrfToken,
		}
	}
	return f
}

// Show answers with a page. Nothing is sent before the whole page is made.
func (v *Visit) Show(status int, f layout.Frame, body templ.Component) error {
	v.greet(f.Viewer)
	var page bytes.Buffer
	if err := layout.Shell(f, body).Render(v.R.Context(), &page); err != nil {
		return err
	}
	v.send(status, &page)
	return nil
}

func (v *Visit) send(status int, page *bytes.Buffer) {
	v.W.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.W.Header().Set("Content-Length", strconv.Itoa(page.Len()))
	v.W.WriteHeader(status)
	_, _ = page.WriteTo(v.W) // the browser may be gone; there is nobody to tell
}

// Go sends the browser to a path of this site, with a GET.
func (v *Visit) Go(path string) error {
	v.W.Header().Set("Location", path)
	v.W.WriteHeader(http.StatusSeeOther)
	return nil
}

// SignIn is the address of the sign-in page that comes back to a path.
func SignIn(next string) string {
	if next == "" || next == "/" {
		return "/signin"
	}
	return "/signin?next=" + url.QueryEscape(next)
}

// Unsent is the address of a sign-in page that also says that a form was not taken.
func Unsent(signIn string) string {
	if strings.Contains(signIn, "?") {
		return signIn + "&unsent"
	}
	return signIn + "?unsent"
}

// Local says whether next is a path of this site and nothing else, so that a link to the sign-in page cannot send
// people elsewhere. Browsers read "//host", "/\host" and a tab or line break between the two as another site.
func Local(next string) bool {
	if len(next) > 2000 || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") {
		return false
	}
	for _, r := range next {
		if r <= ' ' || r == '\\' || r >= 0x7f {
			return false
		}
	}
	u, err := url.Parse(next)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && u.Opaque == ""
}

// RetryAfter tells the browser how long to wait, in seconds.
func (v *Visit) RetryAfter(r dash.RateLimitedRefusal) {
	v.W.Header().Set("Retry-After", strconv.Itoa(int(r.RetryAfter)))
}

// Typable is a text as a form field can hold it and send it back: without the control characters that nobody types.
func Typable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return -1
		}
		return r
	}, s))
}
