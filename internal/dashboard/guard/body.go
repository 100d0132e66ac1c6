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

// read reads a call's body, holds the call against the contract, and puts the body back for the handler. A raw body it
// leaves for the handler to read.
func (to *route) read(c *Call, w *writer, r *http.Request) error {
	if to.bare {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return invalid(dash.Fault{In: dash.FaultInQuery, Message: "is not well formed"})
	}
	call := openapi.Request{PathParams: c.params, Query: query, Header: r.Header}
	raw := to.op.BodyLimit > 0
	if types := to.spec.RequestContentTypes(); len(types) > 0 {
		if call.ContentType, err = mediaType(r, types, to.bodyLimit()); err != nil {
			return err
		}
		// The server's own writer, so that it closes the connection instead of reading the rest.
		r.Body = http.MaxBytesReader(w.ResponseWriter, r.Body, to.bodyLimit())
		if !raw {
			if call.Body, err = io.ReadAll(r.Body); err != nil {
				return cutShort(err)
			}
			c.body = call.Body
			r.Body = io.NopCloser(bytes.NewReader(call.Body))
		}
	}
	var out []dash.Fault
	for _, issue := range to.spec.Check(call, openapi.Strict) {
		if in := dash.FaultIn(issue.In); !raw || in != dash.FaultInBody { // which nobody has looked at yet
			out = append(out, dash.Fault{In: in, Path: issue.Path, Message: issue.Message})
		}
	}
	if len(out) > 0 {
		return invalid(out...)
	}
	if raw {
		r.Body = &upload{body: r.Body, pace: w.pace}
	}
	return nil
}

// bodyLimit is the most bytes that a body of the operation may have.
func (to *route) bodyLimit() int64 {
	switch {
	case to.op.BodyLimit > 0:
		return to.op.BodyLimit
	case to.op.Permission == dash.Public:
		return publicBodyLimit
	}
	return bodyLimit
}

// mediaType is the type of a body, one of the declared ones. A call that sends none needs no type.
func mediaType(r *http.Request, types []string, limit int64) (string, error) {
	if r.ContentLength > limit {
		return "", cutShort(&http.MaxBytesError{Limit: limit})
	}
	sent, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.ContentLength != 0 && (err != nil || !slices.Contains(types, sent)) {
		return "", dash.UnsupportedMediaTypeRefusal{Message: "send the body as " + strings.Join(types, " or ")}
	}
	return sent, nil
}

// cutShort says why a body could not be read to its end.
func cutShort(err error) dash.Refusal {
	if over := new(http.MaxBytesError); errors.As(err, &over) {
		return dash.TooLargeRefusal{Message: fmt.Sprintf("the body is over %d bytes", over.Limit), Limit: over.Limit}
	}
	return invalid(dash.Fault{In: dash.FaultInBody, Message: "did not arrive whole"})
}

func invalid(issues ...dash.Fault) dash.Refusal {
	return dash.InvalidRequestRefusal{Message: "the request is not as the contract wants it", Issues: issues}
}
