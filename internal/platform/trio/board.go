// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/contract"
)

// readBoard is the board argument as text; "" when it is not given.
func readBoard(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	text, _, scalar := scalar(raw)
	if _, ok := contract.ParseBoard(text); !scalar || !ok {
		return "", fmt.Errorf("50arms_api: board holds %s: a board is named by its number, a whole number from 1 to 9007199254740991", raw)
	}
	return text, nil
}

// boardIssue is about the board of a call, which travels in its query.
func boardIssue(format string, args ...any) []openapi.Issue {
	return []openapi.Issue{{In: "query", Path: "board", Message: fmt.Sprintf(format, args...)}}
}

// scope gives a call the board that it is about. Scope is what the contract says of the operation, inBody that its body
// may name a board too, and byDefault the session's own board, 0 where it has none.
//
// What the caller wrote into query or body stands, and then nothing is added to it; the argument may only say the same.
func (c *call) scope(scope string, inBody bool, byDefault int64) []openapi.Issue {
	written := c.query["board"]
	if text, ok := member(c.body, "board"); inBody && ok {
		written = append(written[:len(written):len(written)], text)
	}
	board := c.board
	switch {
	case board != "" && scope == "":
		return boardIssue("is not taken by this route: leave the board argument out")
	case board != "":
		for _, other := range written {
			if other != board {
				return boardIssue("the board argument names %s, the call itself %s: name one", board, clip(other))
			}
		}
	case len(written) > 0 || scope != contract.BoardRequired:
		return nil
	case byDefault == 0:
		return boardIssue("is required: give it as the board argument; a session has one of its own with DANXBOT_BOARD_ID. GET /api/boards lists the boards")
	default:
		board = strconv.FormatInt(byDefault, 10)
	}
	if c.query.Set("board", board); inBody {
		c.body = withBoard(c.body, board)
	}
	return nil
}

// member is the text of a JSON object's member.
func member(body json.RawMessage, name string) (text string, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return "", false
	}
	raw, ok := members[name]
	if text, _, scalar := scalar(raw); scalar && text != "" {
		return text, ok
	}
	return string(raw), ok
}

// withBoard is a JSON object with a board, where it has none. All else keeps its bytes, and so does what is no object.
func withBoard(body json.RawMessage, board string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil || members["board"] != nil {
		return body
	}
	_, rest, _ := bytes.Cut(body, []byte("{"))
	begin := `{"board":` + board
	if len(members) > 0 {
		begin += ","
	}
	return append([]byte(begin), rest...)
}

// clip bounds what the caller wrote, where a message quotes it.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 50 {
		text = string(runes[:50]) + "…"
	}
	return strconv.Quote(text)
}
