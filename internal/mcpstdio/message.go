// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// codeBusy is in the range that JSON-RPC leaves to servers.
const codeBusy = -32000

// requestID is a JSON-RPC id: what the client wrote, to be echoed, and a key
// that is equal for two spellings of one id and differs between 1 and "1".
type requestID struct {
	raw json.RawMessage
	key string
}

// noID answers a message whose id could not be read.
var noID = requestID{raw: json.RawMessage("null")}

var errID = errors.New("id must be a string or an integer")

func parseID(raw json.RawMessage) (requestID, error) {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return noID, errID
		}
		return requestID{raw, "s" + s}, nil
	}
	digits := raw
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return noID, errID
		}
	}
	if len(digits) == 0 {
		return noID, errID
	}
	return requestID{raw, "n" + string(raw)}, nil
}

type kind int

const (
	kindRequest kind = iota
	kindNotification
	kindResponse
)

// message is one line of input, understood just far enough to route it.
type message struct {
	kind   kind
	id     requestID // requests and responses
	method string    // requests and notifications
	line   []byte
}

// refusal is the error answer to a line that is no message for mcp-go.
type refusal struct {
	id   requestID
	code int
	text string
}

// classify tells what a line is, which must not be blank. It decodes with encoding/json, as mcp-go
// does, so that both see the same id and method in an odd message.
func classify(line []byte) (message, *refusal) {
	// encoding/json would replace bytes that are no UTF-8 instead of refusing.
	if !utf8.Valid(line) || !json.Valid(line) {
		return message{}, &refusal{noID, mcp.PARSE_ERROR, "line is not valid JSON in UTF-8"}
	}
	switch bytes.TrimLeft(line, space)[0] {
	case '{':
	case '[':
		return message{}, &refusal{noID, mcp.INVALID_REQUEST, "batches are not supported: send one message a line"}
	default:
		return message{}, &refusal{noID, mcp.INVALID_REQUEST, "message must be a JSON object"}
	}
	// Params are left out: they may be megabytes, and each field is a copy.
	var env struct {
		JSONRPC json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &env); err != nil {
		return message{}, &refusal{noID, mcp.PARSE_ERROR, "line is not valid JSON"}
	}
	id, idErr := parseID(env.ID)
	isAnswer := env.Result != nil || env.Error != nil
	invalid := func(text string) (message, *refusal) {
		return message{}, &refusal{id, mcp.INVALID_REQUEST, text}
	}
	m := message{id: id, line: line}
	switch {
	case env.Method == nil && isAnswer:
		// An answer is never answered, however odd: two peers that refuse
		// each other's refusals would not stop.
		m.kind = kindResponse
		return m, nil
	case string(env.JSONRPC) != `"2.0"`:
		return invalid(`jsonrpc must be "2.0"`)
	case env.Method == nil:
		return invalid("message has no method")
	case isAnswer:
		return invalid("message has both a method and a result or error")
	case json.Unmarshal(env.Method, &m.method) != nil || string(env.Method) == "null":
		return invalid("method must be a string")
	case env.ID == nil:
		m.kind = kindNotification
		return m, nil
	case idErr != nil:
		return invalid(idErr.Error())
	}
	return m, nil
}

// idOfBeginning is the id of a request of which only the beginning is there.
// Without its method, too, it is not known to be a request: noID.
func idOfBeginning(line []byte) requestID {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return noID
	}
	id, method := noID, false
	for id.key == "" || !method {
		name, err := d.Token()
		if err != nil {
			return noID
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return noID
		}
		switch name {
		case "id":
			if id, err = parseID(value); err != nil || !utf8.Valid(value) {
				return noID
			}
		case "method":
			method = value[0] == '"'
		}
	}
	return id
}

// space is what JSON allows around a value, within a line.
const space = " \t\r"

func blank(line []byte) bool { return len(bytes.Trim(line, space)) == 0 }
