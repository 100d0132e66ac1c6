// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Refusal is a 4xx that is not handed on whole, put into words.
type Refusal struct {
	Method, Path string
	Status       int
	Code         string // the stable code, "" when the body holds none
	Text         string // the message with its issues and nearest routes, or the body's beginning
}

func (e *Refusal) Error() string {
	code := ""
	if e.Code != "" {
		code = " " + e.Code
	}
	return fmt.Sprintf("%s %s: answered %d%s: %s", e.Method, e.Path, e.Status, code, e.Text)
}

// refusalLength is how much of a refusal's words is handed on, in characters.
const refusalLength = 4000

// Refusal puts the answer, which should be a 4xx, into words. What the server said is in it verbatim.
func (r *Response) Refusal() *Refusal {
	e := &Refusal{Method: r.Method, Path: r.Path, Status: r.Status, Text: Excerpt(string(r.Body))}
	var said struct {
		Error   string   `json:"error"`
		Message string   `json:"message"`
		Nearest []string `json:"nearest"`
		Issues  []struct {
			In      string `json:"in"`
			Path    string `json:"path"`
			Message string `json:"message"`
		} `json:"issues"`
	}
	if json.Unmarshal(r.Body, &said) != nil || said.Error == "" {
		return e
	}
	e.Code = Excerpt(said.Error)
	text := []string{said.Message}
	for _, issue := range said.Issues {
		text = append(text, strings.TrimSpace(issue.In+" "+issue.Path)+": "+issue.Message)
	}
	if len(said.Nearest) > 0 {
		text = append(text, "nearest: "+strings.Join(said.Nearest, ", "))
	}
	e.Text = quote(strings.Join(text, "; "), refusalLength)
	return e
}

// Code is the stable code of a refusal's body, or "".
func (r *Response) Code() string {
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(r.Body, &said) != nil {
		return ""
	}
	return said.Error
}
