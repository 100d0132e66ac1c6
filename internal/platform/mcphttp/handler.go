// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fiftyarms/platform/internal/sse"
)

// Path is where clients call.
const Path = "/mcp"

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	mediaJSON     = "application/json"
)

// versions are those of the protocol that a session may have agreed on. Streamable HTTP came with the second, and the
// header with the third; some clients send it all the same.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// handler answers requests that the guard has let through.
type handler struct {
	o        Options
	sessions *table
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != Path {
		refuse(w, http.StatusNotFound, codeInvalid, "nothing is here: MCP is served at "+Path)
		return
	}
	if v := r.Header.Get(headerVersion); v != "" && !slices.Contains(versions, v) {
		refuse(w, http.StatusBadRequest, codeInvalid, headerVersion+" names no version that is served: "+strings.Join(versions, ", "))
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		w.Header().Set("Allow", "POST, GET, DELETE")
		refuse(w, http.StatusMethodNotAllowed, codeInvalid, "POST a message, GET the stream, or DELETE the session")
	}
}

// post takes a message of the client's.
func (h *handler) post(w http.ResponseWriter, r *http.Request) {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != mediaJSON {
		refuse(w, http.StatusUnsupportedMediaType, codeInvalid, "Content-Type has to be "+mediaJSON)
		return
	}
	if !accepts(r, mediaJSON) || !accepts(r, sse.MediaType) {
		refuse(w, http.StatusNotAcceptable, codeInvalid, "Accept has to name "+mediaJSON+" and "+sse.MediaType)
		return
	}
	m, ok := h.message(w, r)
	if !ok {
		return
	}
	first := m.kind == kindRequest && m.method == methodInitialize
	s := h.session(w, r, first)
	if s == nil {
		return
	}
	defer h.sessions.leave(s)
	if m.kind != kindRequest {
		if err := s.tell(m); err != nil {
			gone(w)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	out, err := s.request(m)
	switch {
	case errors.Is(err, errInUse):
		refuse(w, http.StatusBadRequest, codeInvalid, err.Error())
		return
	case err != nil:
		h.lost(w, s, first)
		return
	}
	h.answer(w, r, s, out, first)
}

// message reads the body. Not ok, the client has been told.
func (h *handler) message(w http.ResponseWriter, r *http.Request) (message, bool) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyLimit)) // a connection without deadlines has no limit either way
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		tooLarge(w, h.o.MaxBody)
		return message{}, false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, codeParse, "the body did not come whole")
		return message{}, false
	}
	m, err := read(body)
	if err != nil {
		code := codeInvalid
		if !json.Valid(body) {
			code = codeParse
		}
		refuse(w, http.StatusBadRequest, code, err.Error())
		return message{}, false
	}
	return m, true
}

// session is the one that a request is for, entered; nil when the client has been told that there is none.
func (h *handler) session(w http.ResponseWriter, r *http.Request, first bool) *session {
	id := r.Header.Get(headerSession)
	if id == "" && first {
		s, err := h.sessions.start()
		if full := (*fullError)(nil); errors.As(err, &full) || errors.Is(err, errClosing) {
			w.Header().Set("Retry-After", "60")
			refuse(w, http.StatusServiceUnavailable, codeSession, err.Error())
			return nil
		}
		if err != nil {
			h.o.Log.Error("no session was opened", "error", err)
			refuse(w, http.StatusInternalServerError, codeSession, "the session could not be opened; the server's log says why")
			return nil
		}
		return s
	}
	if id == "" {
		refuse(w, http.StatusBadRequest, codeInvalid, headerSession+" is missing: a session begins with initialize, whose answer names it")
		return nil
	}
	s := h.sessions.enter(id)
	if s == nil {
		gone(w)
		return nil
	}
	if first {
		h.sessions.leave(s)
		refuse(w, http.StatusBadRequest, codeInvalid, "the session is initialized: leave "+headerSession+" out to open another")
		return nil
	}
	return s
}

// lost tells that the server did not answer. A server that ends before it has met its client did not start.
func (h *handler) lost(w http.ResponseWriter, s *session, first bool) {
	if first {
		h.sessions.end(s.id)
		refuse(w, http.StatusInternalServerError, codeSession, "the session did not start; the server's log says why")
		return
	}
	gone(w)
}

// answer writes what comes of a request: one answer as JSON, or a stream that ends with it.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, s *session, out *stream, first bool) {
	defer out.drop() // whatever else comes for a client that went away
	reader := out.read()
	wait := time.NewTimer(keepAlive)
	defer wait.Stop()
	var lines [][]byte
	var news <-chan struct{}
	for begun := false; !begun; {
		if lines, news = out.take(reader); news == nil || len(lines) > 0 {
			break
		}
		select {
		case <-news:
		case <-wait.C:
			begun = true // so that nobody takes the connection for dead
		case <-r.Context().Done():
			if first {
				h.sessions.end(s.id) // nobody knows its id
			}
			return
		}
	}
	if first && !s.initialized() {
		defer h.sessions.end(s.id)
	} else if first {
		w.Header().Set(headerSession, s.id)
	}
	switch {
	case news == nil && len(lines) == 0 && first:
		h.lost(w, s, first)
	case news == nil && len(lines) == 1:
		w.Header().Set("Content-Type", mediaJSON)
		w.Header().Set("Cache-Control", "no-store")
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
		_, _ = w.Write(lines[0]) // a client that went away misses nothing
	default:
		relay(w, r, out, reader, lines, news)
	}
}

// get streams what belongs to no request.
func (h *handler) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, sse.MediaType) {
		refuse(w, http.StatusNotAcceptable, codeInvalid, "Accept has to name "+sse.MediaType)
		return
	}
	s := h.session(w, r, false)
	if s == nil {
		return
	}
	defer h.sessions.leave(s)
	reader := s.aside.read()
	lines, news := s.aside.take(reader)
	relay(w, r, s.aside, reader, lines, news)
}

func (h *handler) delete(w http.ResponseWriter, r *http.Request) {
	switch id := r.Header.Get(headerSession); {
	case id == "":
		refuse(w, http.StatusBadRequest, codeInvalid, headerSession+" is missing")
	case !h.sessions.end(id):
		gone(w)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// relay writes a stream's lines as events until it ends, the client goes away, or another request has taken it over.
func relay(w http.ResponseWriter, r *http.Request, from *stream, reader int, lines [][]byte, news <-chan struct{}) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", sse.MediaType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	send := func(events []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(writeLimit))
		_, err := w.Write(events)
		return err == nil && control.Flush() == nil
	}
	beat := time.NewTicker(keepAlive)
	defer beat.Stop()
	if !send(nil) {
		return
	}
	for {
		for _, line := range lines {
			if !send(sse.Frame{Data: line}.Append(nil)) {
				return
			}
		}
		if news == nil {
			return
		}
		select {
		case <-news:
		case <-beat.C:
			if !send(sse.AppendComment(nil, "still here")) {
				return
			}
		case <-r.Context().Done():
			return
		}
		lines, news = from.take(reader)
	}
}

// accepts tells whether the client takes a media type. One that says nothing takes all.
func accepts(r *http.Request, mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	said := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(said) == "" {
		return true
	}
	for part := range strings.SplitSeq(said, ",") {
		name, _, _ := strings.Cut(part, ";")
		if name = strings.ToLower(strings.TrimSpace(name)); name == mediaType || name == "*/*" || name == kind+"/*" {
			return true
		}
	}
	return false
}

func gone(w http.ResponseWriter) {
	refuse(w, http.StatusNotFound, codeSession, "no such session: it has ended, or never was; send initialize without "+headerSession)
}

func tooLarge(w http.ResponseWriter, most int64) {
	w.Header().Set("Connection", "close") // the rest of the body is not read
	refuse(w, http.StatusRequestEntityTooLarge, codeInvalid, fmt.Sprintf("a message has at most %d bytes", most))
}

// refuse answers with a JSON-RPC error, which is what MCP clients show.
func refuse(w http.ResponseWriter, status, code int, text string) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": text}})
	if err != nil { // cannot be: these have JSON
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away misses nothing
}
