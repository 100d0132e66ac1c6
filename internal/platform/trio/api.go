// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/contract"
	"github.com/fiftyarms/platform/internal/platform/trio/jq"
)

// call is a call as it is going to be made.
type call struct {
	method, path string // the path as it stands in a URL
	query        url.Values
	body         json.RawMessage
	board        string             // the argument; "" when it is not given
	filter       *jq.Filter         // what to take of the answer; nil is all
	op           *openapi.Operation // nil where this build does not know the route
	marks        dash.Operation     // the zero Operation then
}

// API calls one route. The error is a halt, or says why there is no answer to hand on.
func (t *Trio) API(ctx context.Context, args mcptools.APIArgs) (mcptools.APIResult, error) {
	doc, err := t.contract()
	if err != nil {
		return mcptools.APIResult{}, err
	}
	c := call{method: string(args.Method), body: args.Body}
	if args.Select != nil {
		if c.filter, err = jq.Compile(*args.Select); err != nil {
			return mcptools.APIResult{}, fmt.Errorf("50arms_api: select is no jq expression that can be run: %w. The call was not sent", err)
		}
	}
	if c.board, err = readBoard(args.Board); err != nil {
		return mcptools.APIResult{}, err
	}
	var issues, more []openapi.Issue
	c.path, issues = t.path(ctx, doc, c.method, args.Path)
	c.query, more = readQuery(args.Query)
	if issues = append(issues, more...); len(issues) > 0 {
		return invalid(issues)
	}
	if match, known := doc.Match(c.method, c.path); known {
		known := c
		known.op, known.marks = match.Operation, contract.Marks(match.Operation.ID())
		if err := beyond(known); err != nil {
			return mcptools.APIResult{}, err
		}
		fitted, issues := t.fit(match, known)
		switch {
		case len(issues) == 0:
			return t.perform(ctx, fitted)
		case len(match.Params) == 0 || !t.listed(ctx, c.method, c.path):
			return invalid(issues)
		}
	} else {
		nearest, err := t.unknown(ctx, c.method, c.path)
		if err != nil {
			return mcptools.APIResult{}, err
		}
		if nearest != nil {
			return noRoute(c.method, c.path, nearest)
		}
		c.body = withoutNull(c.body, c.method == http.MethodGet || c.method == http.MethodDelete)
	}
	// Only the dashboard knows this route. It gets the board that the caller names, and no other.
	if issues := c.scope(contract.BoardOptional, false, 0); len(issues) > 0 {
		return invalid(issues)
	}
	return t.perform(ctx, c)
}

// perform makes a call of an operation and hands on the answer.
func (t *Trio) perform(ctx context.Context, c call) (mcptools.APIResult, error) {
	req, err := t.client.NewRequest(c.method, c.path, c.query, c.body)
	if err != nil {
		return mcptools.APIResult{}, err
	}
	if c.marks.Idempotent {
		key, err := t.newKey()
		if err != nil {
			return mcptools.APIResult{}, err
		}
		req.Header.Set(idempotencyKey, key)
	}
	in := &reading{spill: t.spill, selects: c.filter != nil, download: c.marks.Download}
	made := client.Call{Request: req, Take: in.take}
	if c.marks.Download {
		made.Stall = stall
	}
	resp, err := t.send(ctx, made)
	if err != nil {
		return mcptools.APIResult{}, err
	}
	if resp.Status >= 400 {
		return refused(resp)
	}
	return t.answer(ctx, c, resp, in)
}

// stall is how long a download may stand still.
const stall = 30 * time.Second

// beyond refuses what this tool cannot do, whatever the call says.
func beyond(c call) error {
	switch {
	case c.marks.Stream:
		return fmt.Errorf("%s %s: not sent: this route streams events for as long as they are read, and a tool answers once. Read what happened to a card with GET /api/issues/{id}/history; people see it happen on the pages", c.method, c.path)
	case c.marks.BodyLimit > 0:
		return fmt.Errorf("%s %s: not sent: this route takes the bytes of a file, and this tool sends JSON only. The tool attach_file uploads a local file. Where you do not have it, your key lacks %s: ask for that with request_permission", c.method, c.path, c.marks.Permission)
	}
	return nil
}

// path is the checked path as it stands in a URL. A segment like ":cancel" may be a parameter that is not filled in, or
// what the dashboard calls a route.
func (t *Trio) path(ctx context.Context, doc *openapi.Document, method, path string) (string, []openapi.Issue) {
	plain, issues := checkPath(doc, path)
	if len(issues) == 0 || !strings.Contains(path, "/:") {
		return plain, issues
	}
	if plain, others := checkPath(doc, strings.ReplaceAll(path, "/:", "/")); len(others) > 0 || !t.listed(ctx, method, path) {
		return plain, issues
	}
	return (&url.URL{Path: path}).EscapedPath(), nil
}

// checkPath is the path as it stands in a URL.
func checkPath(doc *openapi.Document, path string) (string, []openapi.Issue) {
	err := doc.CheckPath(path)
	if err == nil {
		var u *url.URL
		if u, err = url.Parse(path); err == nil {
			return u.EscapedPath(), nil
		}
	}
	issue := openapi.Issue{In: "path", Message: err.Error()}
	if bad, ok := errors.AsType[*openapi.PathError](err); ok {
		issue.Path = bad.Param
	}
	return "", []openapi.Issue{issue}
}

// fit holds a call of a known route to this build's contract. It mends the body where clients are known to break it,
// and gives the call its board.
func (t *Trio) fit(match openapi.Match, c call) (call, []openapi.Issue) {
	op := match.Operation
	c.query = maps.Clone(c.query) // the caller's stays as it is, for a route of the dashboard's own
	c.body = withoutNull(c.body, len(op.RequestContentTypes()) == 0)
	if c.body != nil {
		c.body, _ = op.HealBody(c.body)
	}
	issues := c.scope(c.marks.BoardScope, op.BodyTakes("board"), t.board)
	for _, issue := range op.Check(openapi.Request{PathParams: match.Params, Query: c.query, Body: c.body}, openapi.Courtesy) {
		// What was said of the board already says more.
		if len(issues) == 0 || issue.In != issues[0].In || issue.Path != issues[0].Path {
			issues = append(issues, issue)
		}
	}
	return c, issues
}

// withoutNull takes a null for no body where none is wanted: models fill in arguments that they could leave out.
func withoutNull(body json.RawMessage, unwanted bool) json.RawMessage {
	if unwanted && bytes.Equal(bytes.TrimSpace(body), []byte("null")) {
		return nil
	}
	return body
}

// invalid is the answer to a call that is not as the contract wants it, in the dashboard's words.
func invalid(issues []openapi.Issue) (mcptools.APIResult, error) {
	refusal := dash.InvalidRequestRefusal{Message: "the call is not as the contract wants it; it was not sent"}
	for _, issue := range issues {
		refusal.Issues = append(refusal.Issues, dash.Fault{In: dash.FaultIn(issue.In), Path: issue.Path, Message: issue.Message})
	}
	return clientSide(refusal)
}

// noRoute is the answer to a call of a route that neither this build nor the dashboard knows.
func noRoute(method, path string, nearest []string) (mcptools.APIResult, error) {
	return clientSide(dash.NotFoundRefusal{
		Message: "there is no route " + method + " " + path + " for this key; the call was not sent",
		Nearest: nearest,
	})
}

// clientSide is a refusal that did not come from the dashboard, and says so.
func clientSide(refusal dash.Refusal) (mcptools.APIResult, error) {
	body, err := encode(refusal.Coded())
	return mcptools.APIResult{Status: int32(refusal.RefusalStatus()), Body: body, Checked: new(mcptools.APIResultCheckedClient)}, err
}
