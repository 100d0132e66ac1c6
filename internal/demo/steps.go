// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/mcpclient"
)

// steps are the main job in order. Each builds on the ones before it.
func (w *world) steps() []step { return slices.Concat(w.accessSteps(), w.cardSteps(), w.askingSteps()) }

// accessSteps are the way from an agent's first call to an approved one.
func (w *world) accessSteps() []step {
	return []step{
		{"the first person sets the dashboard up", w.setUp},
		{"platform-mcp starts and lists its tools", w.startAgent},
		{"signed out, a tool halts and says what to do", w.halt},
		{"plan_connect asks a person for access", w.ask},
		{"the person compares the code and approves", w.approve},
		{"plan_connect connects", w.connect},
		{"the agent lists the routes that it may reach", w.list},
		{"it reads the contract of three", w.read},
		{"it calls them", w.call},
		{"it tries to approve a request itself, and is refused in the server's own words", w.refused},
		{"it asks for a wrong route, and gets the nearest", w.nearest},
	}
}

// three are the routes that the demo reads and calls.
var three = []string{"GET /api/auth/me", "GET /api/auth/permissions", "POST /api/plan-sessions"}

const title = "Try the dashboard out"

func (w *world) setUp(ctx context.Context) (string, error) {
	res, err := w.api.SetUpWithResponse(ctx, dash.Setup{
		Token: w.setupToken, Team: dash.NewTeam{Slug: "demo", Name: "Demo"}, Name: "Ada", Email: w.email, Password: w.password,
	})
	if err != nil {
		return "", err
	}
	if res.JSON201 == nil || res.JSON201.CsrfToken == nil {
		return "", unexpected("POST /api/auth/setup", res.HTTPResponse, res.Body)
	}
	w.csrf = *res.JSON201.CsrfToken
	return fmt.Sprintf("%s of team %s is signed in at %s", res.JSON201.Person.Name, res.JSON201.Team.Name, w.url), nil
}

func (w *world) startAgent(ctx context.Context) (string, error) {
	var err error
	if w.agent, err = w.spawn(ctx, w.sessionID); err != nil {
		return "", err
	}
	names, err := tools(ctx, w.agent)
	if err != nil {
		return "", err
	}
	if want := []string{"50arms_api", "50arms_api_list", "50arms_api_spec", "plan_connect", "request_permission"}; !slices.Equal(names, want) {
		return "", fmt.Errorf("want the tools %v, got %v", want, names)
	}
	return strings.Join(names, "  "), nil
}

// tools are the names of the tools that a session is shown.
func tools(ctx context.Context, client *mcpclient.Client) (names []string, err error) {
	raw, err := client.Request(ctx, "tools/list", nil)
	if err != nil {
		return nil, err
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names, nil
}

func (w *world) halt(ctx context.Context) (string, error) {
	res, err := w.agent.CallTool(ctx, "50arms_api_list", struct{}{})
	if err != nil {
		return "", err
	}
	if !res.IsError || !strings.Contains(res.Text, "plan_connect") {
		return "", fmt.Errorf("want a halt that names plan_connect, got %q", res.Text)
	}
	return res.Text, nil
}

func planConnect(ctx context.Context, client *mcpclient.Client, title string) (mcptools.PlanConnectResult, error) {
	res, err := client.CallTool(ctx, "plan_connect", mcptools.PlanConnectArgs{Title: &title})
	if err != nil {
		return mcptools.PlanConnectResult{}, err
	}
	var out mcptools.PlanConnectResult
	if res.IsError {
		return out, errors.New(res.Text)
	}
	return out, json.Unmarshal([]byte(res.Text), &out)
}

func (w *world) ask(ctx context.Context) (string, error) { return w.askWith(ctx, w.agent, title) }

func (w *world) askWith(ctx context.Context, client *mcpclient.Client, title string) (string, error) {
	res, err := planConnect(ctx, client, title)
	if err != nil {
		return "", err
	}
	if res.State != mcptools.PlanConnectResultStateApprovalRequired || res.ApprovalURL == nil || res.ConfirmCode == nil {
		return "", fmt.Errorf("want approval_required with a link and a code, got %s", res.State)
	}
	w.code = *res.ConfirmCode
	w.publicID = (*res.ApprovalURL)[strings.LastIndex(*res.ApprovalURL, "/")+1:]
	return fmt.Sprintf("code %s, link %s", w.code, *res.ApprovalURL), nil
}

func (w *world) approve(ctx context.Context) (string, error) { return w.approveWith(ctx, nil) }

// approveWith approves the access request that waits; no permissions are the usual ones.
func (w *world) approveWith(ctx context.Context, granted []dash.Permission) (string, error) {
	seen, err := w.api.GetAccessRequestWithResponse(ctx, w.publicID)
	if err != nil {
		return "", err
	}
	if seen.JSON200 == nil {
		return "", unexpected("GET /api/access-requests/{publicId}", seen.HTTPResponse, seen.Body)
	}
	r := seen.JSON200
	if r.ConfirmCode != w.code {
		return "", fmt.Errorf("the page shows code %s, the agent %s", r.ConfirmCode, w.code)
	}
	done, err := w.api.ApproveAccessRequestWithResponse(ctx, w.publicID, dash.AccessRequestApproval{Digest: r.Digest, Permissions: granted}, w.withCSRF)
	if err != nil {
		return "", err
	}
	if done.JSON200 == nil || done.JSON200.Status != dash.RequestStatusApproved {
		return "", unexpected("POST /api/access-requests/{publicId}/approve", done.HTTPResponse, done.Body)
	}
	host := ""
	if r.Client.Host != nil {
		host = " on " + *r.Client.Host
	}
	return fmt.Sprintf("%s%s, from %s, asked for: %s\nthe decision names digest %s…", r.Client.Name, host, r.Address, *r.Title, r.Digest[:16]), nil
}

func (w *world) connect(ctx context.Context) (string, error) { return connect(ctx, w.agent) }

func connect(ctx context.Context, client *mcpclient.Client) (string, error) {
	res, err := planConnect(ctx, client, title)
	if err != nil {
		return "", err
	}
	if res.State != mcptools.PlanConnectResultStateConnected {
		return "", fmt.Errorf("want connected, got %s", res.State)
	}
	return fmt.Sprintf("connected; agent %s, team %s", res.Agent, res.Team), nil
}

func (w *world) list(ctx context.Context) (string, error) {
	res, err := w.agent.CallTool(ctx, "50arms_api_list", struct{}{})
	if err != nil {
		return "", err
	}
	var list mcptools.APIListResult
	if err := decode(res.Text, res.IsError, &list); err != nil {
		return "", err
	}
	for _, want := range three {
		if !slices.Contains(list.Routes, want) {
			return "", fmt.Errorf("%s is missing among %v", want, list.Routes)
		}
	}
	if slices.Contains(list.Routes, "POST /api/access-requests/{publicId}/approve") {
		return "", errors.New("an agent is shown a route that only a person may call")
	}
	return fmt.Sprintf("%d routes, such as %s", len(list.Routes), strings.Join(three, ", ")), nil
}

func (w *world) read(ctx context.Context) (string, error) {
	res, err := w.agent.CallTool(ctx, "50arms_api_spec", mcptools.APISpecArgs{Endpoints: strings.Join(three, ",")})
	if err != nil {
		return "", err
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]json.RawMessage
	}
	if err := decode(res.Text, res.IsError, &doc); err != nil {
		return "", err
	}
	for _, route := range three {
		method, path, _ := strings.Cut(route, " ")
		if doc.Paths[path][strings.ToLower(method)] == nil {
			return "", fmt.Errorf("the contract lacks %s", route)
		}
	}
	return fmt.Sprintf("OpenAPI %s, %d operations in %d bytes", doc.OpenAPI, len(three), len(res.Text)), nil
}

func (w *world) call(ctx context.Context) (string, error) {
	var saw []string
	for _, route := range three {
		method, path, _ := strings.Cut(route, " ")
		args := mcptools.APIArgs{Method: mcptools.APIArgsMethod(method), Path: path}
		if method == http.MethodPost {
			args.Body = json.RawMessage(`{"title":"` + title + `"}`)
		}
		res, err := w.callAPI(ctx, args)
		if err != nil {
			return "", err
		}
		if !res.Ok || res.Status != http.StatusOK {
			return "", fmt.Errorf("%s answered %d %s", route, res.Status, res.Body)
		}
		saw = append(saw, fmt.Sprintf("%s → %d %s", route, res.Status, clip(res.Body)))
	}
	return strings.Join(saw, "\n"), nil
}

func (w *world) callAPI(ctx context.Context, args mcptools.APIArgs) (mcptools.APIResult, error) {
	return callTool[mcptools.APIResult](ctx, w.agent, "50arms_api", args)
}

func callTool[Result any](ctx context.Context, client *mcpclient.Client, name string, args any) (out Result, err error) {
	res, err := client.CallTool(ctx, name, args)
	if err != nil {
		return out, err
	}
	return out, decode(res.Text, res.IsError, &out)
}

func (w *world) refused(ctx context.Context) (string, error) {
	res, err := w.callAPI(ctx, mcptools.APIArgs{
		Method: mcptools.APIArgsMethodPOST, Path: "/api/access-requests/" + w.publicID + "/approve",
		Body: json.RawMessage(`{"digest":"` + strings.Repeat("0", 64) + `"}`),
	})
	if err != nil {
		return "", err
	}
	var refusal dash.PersonRequiredRefusal
	if err := json.Unmarshal(res.Body, &refusal); err != nil {
		return "", err
	}
	if res.Ok || res.Status != http.StatusForbidden || res.Checked != nil || string(refusal.Code) != refusal.RefusalCode() {
		return "", fmt.Errorf("want the server's 403 person_required, got %d %s", res.Status, res.Body)
	}
	return fmt.Sprintf("%d %s", res.Status, res.Body), nil
}

func (w *world) nearest(ctx context.Context) (string, error) {
	res, err := w.callAPI(ctx, mcptools.APIArgs{Method: mcptools.APIArgsMethodGET, Path: "/api/auth/permission"})
	if err != nil {
		return "", err
	}
	var refusal dash.NotFoundRefusal
	if err := json.Unmarshal(res.Body, &refusal); err != nil {
		return "", err
	}
	if res.Ok || len(refusal.Nearest) == 0 || refusal.Nearest[0] != "GET /api/auth/permissions" {
		return "", fmt.Errorf("want GET /api/auth/permissions as the nearest, got %d %s", res.Status, res.Body)
	}
	return fmt.Sprintf("GET /api/auth/permission → %d, nearest: %s", res.Status, strings.Join(refusal.Nearest, ", ")), nil
}

// decode reads what a tool answered.
func decode(text string, isError bool, into any) error {
	if isError {
		return errors.New(text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("an answer that is not JSON: %w: %s", err, clip([]byte(text)))
	}
	return nil
}

func unexpected(route string, r *http.Response, body []byte) error {
	return fmt.Errorf("%s answered %s: %s", route, r.Status, clip(body))
}

// clip keeps a line readable.
func clip(b []byte) string {
	const most = 160
	s := strings.TrimSpace(string(b))
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
