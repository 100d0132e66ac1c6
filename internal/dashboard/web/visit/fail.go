// SPDX-License-Identifier: Apache-2.0

package visit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"unicode"
	"unicode/utf8"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
)

// NotFound is the page for an address that leads nowhere.
func NotFound(*Visit) error { return dash.NotFoundRefusal{} }

// fail shows why a page could not be, and where to go from there.
func (v *Visit) fail(err error) {
	if v.R.Context().Err() != nil {
		if _, ok := errors.AsType[badForm](err); !ok {
			v.W.WriteHeader(http.StatusBadRequest) // the browser left; it reads no page, and what reads on is not told of success
			return
		}
		// A body that breaks off ends the context too, while its sender may still read why.
		v.R = v.R.WithContext(context.WithoutCancel(v.R.Context()))
	}
	switch refusal, _ := errors.AsType[dash.Refusal](err); r := refusal.(type) {
	case dash.UnauthenticatedRefusal, dash.KeyRevokedRefusal:
		to := SignIn(v.Here)
		if v.R.Method == http.MethodPost {
			to = Unsent(to)
		}
		_ = v.Go(to)
		return
	case dash.RateLimitedRefusal:
		v.RetryAfter(r)
	case nil:
		if _, ok := errors.AsType[badForm](err); !ok {
			v.log.ErrorContext(v.R.Context(), "page", "method", v.R.Method, "path", v.R.URL.Path, "request_id", v.requestID(), "error", err)
		}
	}
	status, m := v.explain(err)
	v.live = nil // there is nothing to follow
	if err := v.Show(status, v.Frame(m.Heading, layout.Nowhere), layout.Says(m)); err != nil {
		v.log.ErrorContext(v.R.Context(), "error page", "path", v.R.URL.Path, "error", err)
		http.Error(v.W, "The server failed on this page.", http.StatusInternalServerError)
	}
}

func (v *Visit) requestID() string { return v.W.Header().Get(apiclient.RequestID) }

// explain puts an error into words, with its status. Texts of the API are shown as they are: they are written for
// whoever called.
func (v *Visit) explain(err error) (int, layout.Message) {
	if bad, ok := errors.AsType[badForm](err); ok {
		return bad.status, layout.Message{Heading: "That form cannot be used", Text: []string{bad.why, "Nothing was changed."}, Link: v.Here, LinkText: "Open the page again"}
	}
	refusal, ok := errors.AsType[dash.Refusal](err)
	if !ok {
		return http.StatusInternalServerError, v.broken(v.requestID())
	}
	status := refusal.RefusalStatus()
	switch r := refusal.(type) {
	case dash.NotFoundRefusal:
		return status, missing()
	case dash.InvalidRequestRefusal:
		for _, issue := range r.Issues {
			if issue.In == dash.FaultInPath {
				return http.StatusNotFound, missing() // no such thing can be
			}
		}
		return status, layout.Message{Heading: "That does not work", Text: append(issues(r), "Nothing was changed."), Link: "/", LinkText: "Go to the start"}
	case dash.CrossSiteRefusal:
		return status, layout.Message{
			Heading: "This came from another page",
			Text: []string{
				"The form was not sent from a page of this site that you have open now. That happens when you signed in again since the page was made, or when another site tries to act in your name.",
				"Nothing was changed. Open the page again and repeat what you wanted to do there.",
			},
			Link: v.Here, LinkText: "Open the page again",
		}
	case dash.ForbiddenRefusal:
		return status, layout.Message{
			Heading: "You may not do this",
			Text:    []string{fmt.Sprintf("It needs the permission %s, which you do not hold. Ask a person who runs your team.", r.Permission)},
			Link:    "/", LinkText: "Go to the start",
		}
	case dash.RateLimitedRefusal:
		return status, layout.Message{
			Heading: "Too many calls from your address",
			Text:    []string{Wait(r), "Nothing was changed."},
			Link:    v.Here, LinkText: "Try again",
		}
	case dash.NotReadyRefusal:
		return status, layout.Message{Heading: "The server is not ready", Text: []string{visible.Text(r.Message, 300), "Try again in a moment."}, Link: v.Here, LinkText: "Try again"}
	case dash.InternalRefusal:
		return status, v.broken(r.RequestID)
	}
	return status, layout.Message{Heading: "That does not work", Text: []string{Sentence(refusal.Error()), "Nothing was changed."}, Link: "/", LinkText: "Go to the start"}
}

// Wait says how long a person has to wait.
func Wait(r dash.RateLimitedRefusal) string {
	if r.RetryAfter <= 1 {
		return "Try again in a second."
	}
	return fmt.Sprintf("Try again in %d seconds.", r.RetryAfter)
}

func missing() layout.Message {
	return layout.Message{
		Heading: "There is nothing here",
		Text: []string{
			"The address leads nowhere, or to what is not for you. A link that an agent gave may have lapsed: let the agent ask again and open the new one.",
		},
		Link: "/", LinkText: "Go to the start",
	}
}

func (v *Visit) broken(requestID string) layout.Message {
	return layout.Message{
		Heading: "The server failed on this page",
		Text:    []string{"It is not your doing. Try again; if it goes on, tell whoever runs this server."},
		Link:    v.Here, LinkText: "Try again",
		RequestID: visible.Text(requestID, 100),
	}
}

func issues(r dash.InvalidRequestRefusal) (text []string) {
	for i, issue := range r.Issues {
		if i == 10 {
			break
		}
		text = append(text, Sentence(issue.Path+" "+plainly(issue.Message)))
	}
	return text
}

// Sentence makes a message of the API, lower case and without a full stop, a sentence.
func Sentence(message string) string {
	s := visible.Text(message, 300)
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}
