// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// spoiled is a scripted API whose texts are replaced by a hostile one: each that an agent or a person writes.
type spoiled struct {
	*script
	evil string
}

// written are the keys whose text somebody writes freely. Those that the contract holds to a shape, like ids and
// digests, come from the server.
var written = map[string]bool{"title": true, "name": true, "version": true, "host": true, "project": true, "note": true, "address": true, "message": true, "confirmCode": true, "next": true, "path": true}

func (s *spoiled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	s.script.ServeHTTP(rec, r)
	body := rec.Body.Bytes()
	var v any
	if json.Unmarshal(body, &v) == nil {
		var err error
		if body, err = json.Marshal(s.spoil(v)); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(body)
}

func (s *spoiled) spoil(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if _, text := value.(string); text && written[key] {
				v[key] = s.evil
			} else {
				v[key] = s.spoil(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = s.spoil(v[i])
		}
	}
	return v
}

// TestHostileFormsComeBackAsText posts what a person, or a page of another site, could put into each form field.
func TestHostileFormsComeBackAsText(t *testing.T) {
	const evil = "\"><script>alert(1)</script>\u202E"
	for _, s := range states {
		if s.method != "POST" || s.status == 413 || len(s.form) == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			form := map[string][]string{}
			for name := range s.form {
				form[name] = []string{evil}
			}
			s.form = form
			api := s.api(t)
			for _, op := range []string{"setUp", "requestAccessChanges", "denyAccessRequest"} { // where a plain form does not get this far
				if api.answers[op] == nil {
					api.with(op, invalid("body", "/name", "must not be evil"))
				}
			}
			got := s.send(t, api)
			if strings.Contains(got.Body.String(), "<script") {
				t.Error("a field became markup")
			}
		})
	}
}
