// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/openapi"
)

// The most bytes that a body may have. Whoever sends a public one is not known yet, and reading it costs the server
// more than sending it costs them.
const (
	bodyLimit       = 1 << 20
	publicBodyLimit = 64 << 10
)

// read reads a call's body, holds the call against the contract, and puts the body back for the handler.
func (to *route) read(c *Call, w *writer, r *http.Request) error {
	if to.bare {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return invalid(dash.Issue{In: dash.IssueInQuery, Message: "is not well formed"})
	}
	call := openapi.Request{PathParams: c.params, Query: query, Header: r.Header}
	if types := to.spec.RequestContentTypes(); len(types) > 0 {
		limit := int64(bodyLimit)
		if to.op.Permission == dash.Public {
			limit = publicBodyLimit
		}
		if call.ContentType, call.Body, err = body(w, r, types, limit); err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(call.Body))
	}
	if issues := to.spec.Check(call, openapi.Strict); len(issues) > 0 {
		out := make([]dash.Issue, len(issues))
		for i, issue := range issues {
			out[i] = dash.Issue{In: dash.IssueIn(issue.In), Path: issue.Path, Message: issue.Message}
		}
		return invalid(out...)
	}
	return nil
}

// body reads a body of one of the declared types. A call that sends none needs no type.
func body(w *writer, r *http.Request, types []string, limit int64) (mediaType string, content []byte, err error) {
	tooLarge := dash.TooLargeRefusal{Message: fmt.Sprintf("the body is over %d bytes", limit), Limit: limit}
	if r.ContentLength > limit {
		return "", nil, tooLarge
	}
	mediaType, _, err = mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.ContentLength != 0 && (err != nil || !slices.Contains(types, mediaType)) {
		return "", nil, dash.UnsupportedMediaTypeRefusal{Message: "send the body as " + strings.Join(types, " or ")}
	}
	// The server's own writer, so that it closes the connection instead of reading the rest.
	content, err = io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, limit))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return "", nil, tooLarge
	case err != nil:
		return "", nil, invalid(dash.Issue{In: dash.IssueInBody, Message: "did not arrive whole"})
	}
	return mediaType, content, nil
}

func invalid(issues ...dash.Issue) dash.Refusal {
	return dash.InvalidRequestRefusal{Message: "the request is not as the contract wants it", Issues: issues}
}
