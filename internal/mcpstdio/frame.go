// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

var errNotObject = errors.New("params must encode to a JSON object")

type resultFrame struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type errorFrame struct {
	JSONRPC string                  `json:"jsonrpc"`
	ID      json.RawMessage         `json:"id"`
	Error   mcp.JSONRPCErrorDetails `json:"error"`
}

// methodFrame is a notification, or with an id a request of ours.
type methodFrame struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      int64           `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// encode returns v as one line, its newline included. A MarshalJSON that
// panics is an error: some values are encoded on the writing goroutine, whose
// end would be the session's.
func encode(v any) (line []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			line, err = nil, fmt.Errorf("encode %T: panic: %v", v, p)
		}
	}()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // no one renders this as HTML; "<" stays one byte
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return b.Bytes(), nil
}

// encodeAnswer turns mcp-go's answer into a frame that carries the client's
// own id.
func encodeAnswer(id requestID, answer mcp.JSONRPCMessage) ([]byte, error) {
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		return encode(resultFrame{mcp.JSONRPC_VERSION, id.raw, a.Result})
	case mcp.JSONRPCError:
		// The library says so twice: "tool 'x' not found: tool not found".
		a.Error.Message = strings.TrimSuffix(a.Error.Message, ": "+server.ErrToolNotFound.Error())
		return encode(errorFrame{mcp.JSONRPC_VERSION, id.raw, a.Error})
	}
	return nil, fmt.Errorf("encode answer: unexpected %T", answer)
}

func encodeError(id requestID, code int, text string) []byte {
	line, err := encode(errorFrame{mcp.JSONRPC_VERSION, id.raw, mcp.NewJSONRPCErrorDetails(code, text, nil)})
	if err != nil {
		// id.raw came out of valid JSON and the rest are plain values.
		panic(err)
	}
	return line
}

func encodeMethod(id int64, method string, params any) ([]byte, error) {
	var raw json.RawMessage
	if params != nil {
		line, err := encode(params)
		if err != nil {
			return nil, err
		}
		if line[0] != '{' {
			return nil, errNotObject
		}
		raw = line
	}
	return encode(methodFrame{mcp.JSONRPC_VERSION, id, method, raw})
}
