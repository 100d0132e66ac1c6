// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// refuse answers a call that was not done, and gives back the cause if the server is to blame.
func (g *guard) refuse(c *Call, w *writer, r *http.Request, err error) (cause error) {
	refusal, blame := asRefusal(c, r, err)
	if r.Context().Err() != nil {
		blame = nil // whoever called is gone, or was cut off: that is no failure of ours
	}
	if w.status != 0 { // the answer is on its way already, and its reader went away
		return blame
	}
	switch refusal := refusal.(type) {
	case dash.RateLimitedRefusal:
		w.Header().Set("Retry-After", strconv.Itoa(int(refusal.RetryAfter)))
	case dash.UnauthenticatedRefusal, dash.KeyRevokedRefusal:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(refusal.RefusalStatus())
	_ = json.NewEncoder(w).Encode(refusal.Coded()) // it fails only where nobody reads it
	return blame
}

// asRefusal is what the caller is told of an error, and the error again if it is the server's own.
func asRefusal(c *Call, r *http.Request, err error) (dash.Refusal, error) {
	var refusal dash.Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal, nil
	case errors.Is(err, store.ErrNotFound):
		return dash.NotFoundRefusal{Message: "there is no such thing, or it is not yours"}, nil
	case errors.Is(err, store.ErrText):
		return invalid(unkept(c, r)), nil
	}
	return dash.InternalRefusal{Message: "the server failed on this call", RequestID: c.RequestID}, err
}

// writer notes whether the answer has begun, and with which status.
type writer struct {
	http.ResponseWriter
	status int
	pace   *pace // of a lasting call
}

func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	if w.pace != nil {
		w.pace.beforeWrite()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.pace != nil {
		return w.pace.write(w.ResponseWriter, b)
	}
	return w.ResponseWriter.Write(b)
}

// FlushError sends what is written.
func (w *writer) FlushError() error {
	if w.pace != nil {
		w.pace.beforeWrite()
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
