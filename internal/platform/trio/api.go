// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/openapi"
)

// API calls one route. The error is a halt, or says why there is no answer to hand on.
func (t *Trio) API(ctx context.Context, args mcptools.APIArgs) (mcptools.APIResult, error) {
	doc, err := t.contract()
	if err != nil {
		return mcptools.APIResult{}, err
	}
	method, body := string(args.Method), args.Body
	path, issues := t.path(ctx, doc, method, args.Path)
	query, queryIssues := readQuery(args.Query)
	if issues = append(issues, queryIssues...); len(issues) > 0 {
		return invalid(issues)
	}
	if match, known := doc.Match(method, path); known {
		mended, issues := checkCall(match, query, body)
		switch {
		case len(issues) == 0:
			body = mended
		case len(match.Params) == 0 || !t.listed(ctx, method, path):
			return invalid(issues)
		}
	} else {
		nearest, err := t.unknown(ctx, method, path)
		if err != nil {
			return mcptools.APIResult{}, err
		}
		if nearest != nil {
			return noRoute(method, path, nearest)
		}
		body = withoutNull(body, method == http.MethodGet || method == http.MethodDelete)
	}
	req, err := t.client.NewRequest(method, path, query, body)
	if err != nil {
		return mcptools.APIResult{}, err
	}
	resp, err := t.session.Call(ctx, req)
	if err != nil {
		return mcptools.APIResult{}, err
	}
	return answer(resp)
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

// checkCall holds a call of a known route to this build's contract, and mends its body where clients are known to
// break it.
func checkCall(match openapi.Match, query url.Values, body json.RawMessage) (json.RawMessage, []openapi.Issue) {
	op := match.Operation
	body = withoutNull(body, len(op.RequestContentTypes()) == 0)
	if body != nil {
		body, _ = op.HealBody(body)
	}
	return body, op.Check(openapi.Request{PathParams: match.Params, Query: query, Body: body}, openapi.Courtesy)
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
		refusal.Issues = append(refusal.Issues, dash.Issue{In: dash.IssueIn(issue.In), Path: issue.Path, Message: issue.Message})
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
