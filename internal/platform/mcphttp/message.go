// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Codes of JSON-RPC errors.
const (
	codeParse   = -32700
	codeInvalid = -32600
	codeSession = -32000 // of the range that JSON-RPC leaves to servers
)

type kind int

const (
	kindRequest kind = iota
	kindNotification
	kindResponse
)

// message is what has to be known of a message to route it. Ids and tokens are keys: equal for two spellings of one, and
// different for 1 and "1"; "" is none.
type message struct {
	kind     kind
	method   string
	id       string
	token    string // of progress: that a request asks for, or a notification carries
	cancels  string // the request that a cancellation is about
	failed   bool   // a response that is an error
	lineFeed []byte // the message as one line, its line feed included
}

// read takes one message, and what the server would refuse without saying whom: such an answer has no id, and could not
// be brought to its POST. The error is for the client.
func read(body []byte) (message, error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return message{}, errors.New("the body is not valid JSON in UTF-8")
	}
	var line bytes.Buffer
	line.Grow(len(body) + 1)
	if err := json.Compact(&line, body); err != nil {
		return message{}, errors.New("the body is not valid JSON")
	}
	line.WriteByte('\n')
	if line.Bytes()[0] != '{' {
		return message{}, errors.New("the body is not one JSON-RPC message: batches are not supported")
	}
	m, version, ok := peek(line.Bytes())
	switch {
	case !ok:
		return message{}, errors.New("the body is no JSON-RPC message: a request or notification has a method, and a request an id that is a string or an integer")
	case version != "2.0" && m.kind != kindResponse:
		return message{}, errors.New(`jsonrpc must be "2.0"`)
	}
	return m, nil
}

// peek reads a line of either side.
func peek(line []byte) (m message, version string, ok bool) {
	var env struct {
		JSONRPC any             `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Result  present         `json:"result"`
		Error   json.RawMessage `json:"error"`
		Params  json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(line, &env); err != nil {
		return message{}, "", false
	}
	version, _ = env.JSONRPC.(string)
	answers := bool(env.Result) || env.Error != nil
	m = message{lineFeed: line, id: key(env.ID), failed: env.Error != nil}
	switch {
	case env.Method == nil:
		m.kind = kindResponse
		return m, version, answers
	case answers || env.Method[0] != '"' || json.Unmarshal(env.Method, &m.method) != nil:
		return message{}, version, false
	case env.ID == nil:
		m.kind = kindNotification
	case m.id == "":
		return message{}, version, false
	}
	var params struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
		Token     json.RawMessage `json:"progressToken"`
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(env.Params, &params) != nil {
		return m, version, true // params of another form name nothing
	}
	switch {
	case m.kind == kindRequest:
		m.token = key(params.Meta.Token)
	case m.method == methodCancelled:
		m.cancels = key(params.RequestID)
	case m.method == methodProgress:
		m.token = key(params.Token)
	}
	return m, version, true
}

// present tells that a member is there. Results are long, and need not be copied.
type present bool

func (p *present) UnmarshalJSON([]byte) error {
	*p = true
	return nil
}

const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
	methodProgress   = "notifications/progress"
)

// key is the key of an id or a token; "" of what can be neither.
func key(raw json.RawMessage) string {
	var s string
	switch {
	case len(raw) == 0:
		return ""
	case raw[0] == '"':
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return "s" + s
	case raw[0] == '-' && len(raw) > 1 && digits(raw[1:]), digits(raw):
		return "n" + string(raw)
	}
	return ""
}

func digits(b []byte) bool { return len(bytes.Trim(b, "0123456789")) == 0 }
