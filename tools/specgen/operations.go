// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// An operation is what generation needs to know of one route.
type operation struct {
	ID, Method, Path string
	Tag, Summary     string
	Permission       string
	Audience         string
	BoardScope       string
	AgentGateOpen    bool
	Events           []string
	PerMinute, Burst int
	HasJSONBody      bool
	HasBody          bool
	BodyLimit        int64 // bytes of a body that is no JSON
	Stream           bool  // it answers with server-sent events
	Download         bool  // it answers with a file
	Idempotent       bool  // it takes an Idempotency-Key
}

// A refusal is a schema that answers a call that was not done.
type refusal struct {
	Name, Code string
	Status     int
}

var (
	operationKeys = map[string]bool{
		"operationId": true, "tags": true, "summary": true, "description": true, "parameters": true, "requestBody": true, "responses": true,
		"security": true, "deprecated": true, "x-permission": true, "x-audience": true, "x-board-scope": true, "x-agent-gate": true,
		"x-events": true, "x-rate-limit": true, "x-body-limit": true,
	}
	methods     = []string{"get", "post", "put", "patch", "delete"}
	operationID = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	pathParam   = regexp.MustCompile(`\{([^{}]+)\}`)
)

// operations reads and checks every operation of the bundle.
func (c *contract) operations(p *problems) (ops []operation, refusals []refusal) {
	used := map[string]refusal{}
	seen := map[string]bool{}
	for path, item := range pairs(get(c.spec.root, "paths")) {
		for method, op := range pairs(item) {
			if !slices.Contains(methods, method.Value) {
				p.add(c.spec, method, "%s: only operations may stand under a path, and only %s", path.Value, strings.Join(methods, ", "))
				continue
			}
			o := c.operation(path.Value, method, op, p)
			o.Stream, o.Download = c.answers(op)
			if seen[o.ID] {
				p.add(c.spec, method, "operationId %s stands twice", o.ID)
			}
			seen[o.ID] = true
			c.lintResponses(o, method, op, used, p)
			ops = append(ops, o)
		}
	}
	for name, n := range pairs(get(c.spec.root, "components", "schemas")) {
		if !strings.HasSuffix(name.Value, "Refusal") || get(n, "oneOf") != nil {
			continue
		}
		r, ok := used[name.Value]
		if !ok {
			p.add(c.spec, name, "no operation answers with %s", name.Value)
			continue
		}
		if r.Code = str(n, "properties", "error", "const"); r.Code == "" || str(n, "properties", "error", "x-go-name") != "Code" {
			p.add(c.spec, name, "a refusal has error: {type: string, const: <code>, x-go-name: Code}")
		}
		refusals = append(refusals, r)
	}
	return ops, refusals
}

func (c *contract) operation(path string, method, op *yaml.Node, p *problems) operation {
	o := operation{
		ID: str(op, "operationId"), Method: strings.ToUpper(method.Value), Path: path, Summary: str(op, "summary"),
		Permission: str(op, "x-permission"), Audience: str(op, "x-audience"), BoardScope: str(op, "x-board-scope"),
		AgentGateOpen: str(op, "x-agent-gate") == "open",
	}
	where := o.Method + " " + path
	bad := func(n *yaml.Node, format string, args ...any) {
		if n == nil {
			n = method
		}
		p.add(c.spec, n, where+": "+format, args...)
	}
	for k := range pairs(op) {
		if !operationKeys[k.Value] {
			bad(k, "nothing reads %q", k.Value)
		}
	}
	if !operationID.MatchString(o.ID) {
		bad(nil, "operationId %q: want a word in camelCase", o.ID)
	}
	if !strings.HasSuffix(o.Summary, ".") {
		bad(nil, "the summary is a sentence, with its full stop")
	}
	if tags := items(get(op, "tags")); len(tags) != 1 {
		bad(get(op, "tags"), "an operation has one tag")
	} else if o.Tag = tags[0].Value; !c.declaresTag(o.Tag) {
		bad(tags[0], "tag %q is not declared", o.Tag)
	}
	c.lintAccess(&o, op, bad)
	c.lintEvents(&o, op, bad)
	c.lintParameters(&o, op, bad)
	c.lintBody(&o, op, bad)
	c.lintBoardScope(o, op, bad)
	return o
}

// lintEvents wants every event that an operation causes to be one that the contract describes.
func (c *contract) lintEvents(o *operation, op *yaml.Node, bad func(*yaml.Node, string, ...any)) {
	for _, e := range items(get(op, "x-events")) {
		o.Events = append(o.Events, e.Value)
		known := func(kind *yaml.Node) bool { return kind.Value == e.Value }
		if !slices.ContainsFunc(items(get(c.spec.root, "components", "schemas", "EventKind", "enum")), known) {
			bad(e, "x-events names %q, which is no EventKind", e.Value)
		}
	}
	if len(o.Events) > 0 && o.Method == "GET" {
		bad(get(op, "x-events"), "a read causes no event")
	}
}

func (c *contract) lintBody(o *operation, op *yaml.Node, bad func(*yaml.Node, string, ...any)) {
	body := get(op, "requestBody")
	o.HasBody = body != nil
	if schema := get(body, "content", "application/json", "schema"); schema != nil {
		o.HasJSONBody = true
		c.wantExamples(schema, "the request body", bad)
	}
	limit := get(op, "x-body-limit")
	if raw := o.HasBody && !o.HasJSONBody; raw != (limit != nil) {
		bad(limit, "a body that is no JSON, and only such a one, has x-body-limit, in bytes")
	}
	if limit != nil {
		if o.BodyLimit, _ = strconv.ParseInt(limit.Value, 10, 64); o.BodyLimit < 1 {
			bad(limit, "x-body-limit is a whole number of bytes above 0")
		}
	}
}

// lintBoardScope wants a scope and the place that a board is named in to go together.
func (c *contract) lintBoardScope(o operation, op *yaml.Node, bad func(*yaml.Node, string, ...any)) {
	var named, must bool
	for _, raw := range items(get(op, "parameters")) {
		if param := c.resolve(raw); str(param, "in") == "query" && str(param, "name") == "board" {
			named, must = true, str(param, "required") == "true"
		}
	}
	body := c.component(str(op, "requestBody", "content", "application/json", "schema", "$ref"))
	inBody := get(body, "properties", "board") != nil
	switch {
	case o.BoardScope == "" && (named || inBody):
		bad(nil, "it takes a board: say x-board-scope: required or optional")
	case o.BoardScope == "optional" && (!named || must):
		bad(nil, "x-board-scope: optional wants a query parameter board that may be left out")
	case o.BoardScope == "required" && !must && !(named && inBody):
		bad(nil, "x-board-scope: required wants a required query parameter board, or one in the query or the body")
	}
}

func (c *contract) lintAccess(o *operation, op *yaml.Node, bad func(*yaml.Node, string, ...any)) {
	permissions := append(c.permissions(), "public", "any-key")
	if o.Permission == "" {
		bad(nil, "x-permission is missing: a permission's name, public or any-key")
	} else if !slices.Contains(permissions, o.Permission) {
		bad(get(op, "x-permission"), "there is no permission %q", o.Permission)
	}
	if !slices.Contains([]string{"", "person", "agent", "stranger"}, o.Audience) {
		bad(get(op, "x-audience"), "x-audience is person, agent or stranger")
	}
	if !slices.Contains([]string{"", "required", "optional"}, o.BoardScope) {
		bad(get(op, "x-board-scope"), "x-board-scope is required or optional")
	}
	if g := get(op, "x-agent-gate"); g != nil && g.Value != "open" {
		bad(g, "x-agent-gate is open")
	}
	public := o.Permission == "public"
	if security := get(op, "security"); public != (security != nil && len(security.Content) == 0) {
		bad(security, "an operation is public in x-permission and in security: [], or in neither")
	}
	limit := get(op, "x-rate-limit")
	if public && limit == nil {
		bad(nil, "a public operation has x-rate-limit: {per_minute, burst}")
	}
	if limit != nil {
		o.PerMinute, _ = strconv.Atoi(str(limit, "per_minute"))
		o.Burst, _ = strconv.Atoi(str(limit, "burst"))
		if o.PerMinute < 1 || o.Burst < 1 {
			bad(limit, "x-rate-limit: per_minute and burst are whole numbers above 0")
		}
	}
}

// permissions are the names that the contract knows.
func (c *contract) permissions() (names []string) {
	for _, v := range items(get(c.spec.root, "components", "schemas", "Permission", "enum")) {
		names = append(names, v.Value)
	}
	return names
}

func (c *contract) declaresTag(name string) bool {
	return slices.ContainsFunc(items(get(c.spec.root, "tags")), func(t *yaml.Node) bool { return str(t, "name") == name })
}

func (c *contract) lintParameters(o *operation, op *yaml.Node, bad func(*yaml.Node, string, ...any)) {
	declared, fields := map[string]bool{}, map[string]bool{}
	for _, raw := range items(get(op, "parameters")) {
		param := c.resolve(raw)
		if param == nil {
			continue // lintRefs tells
		}
		if get(param, "schema") == nil {
			bad(raw, "parameter %s has no schema", str(param, "name"))
		}
		if str(param, "description") == "" {
			bad(raw, "parameter %s has no description", str(param, "name"))
		}
		if name := goName(str(param, "name")); fields[name] {
			bad(raw, "two parameters are called %s, which is one name in Go", str(param, "name"))
		} else {
			fields[name] = true
		}
		o.Idempotent = o.Idempotent || str(param, "in") == "header" && str(param, "name") == "Idempotency-Key"
		if str(param, "in") == "path" {
			declared[str(param, "name")] = true
		}
	}
	for _, m := range pathParam.FindAllStringSubmatch(o.Path, -1) {
		if !declared[m[1]] {
			bad(nil, "path parameter %s is not declared", m[1])
		}
		delete(declared, m[1])
	}
	for name := range declared {
		bad(nil, "path parameter %s is not in the path", name)
	}
}

// lintResponses wants every answer that can come to be in the contract, and each refusal to be a named schema.
func (c *contract) lintResponses(o operation, at, op *yaml.Node, used map[string]refusal, p *problems) {
	where := o.Method + " " + o.Path
	bad := func(n *yaml.Node, format string, args ...any) { p.add(c.spec, n, where+": "+format, args...) }
	statuses := map[int]bool{}
	success := 0
	for key, raw := range pairs(get(op, "responses")) {
		status, err := strconv.Atoi(key.Value)
		if err != nil {
			bad(key, "responses are named by their status: %q is none", key.Value)
			continue
		}
		statuses[status] = true
		resp := c.resolve(raw)
		for kind, content := range pairs(get(resp, "content")) {
			if get(content, "schema") == nil {
				bad(key, "answer %d says nothing of its %s: give it a schema", status, kind.Value)
			}
		}
		schema := get(resp, "content", "application/json", "schema")
		if status < 300 {
			success++
			if schema != nil {
				c.wantExamples(schema, "the answer", bad)
			}
			continue
		}
		for _, name := range c.refusalNames(schema) {
			if get(c.component(name), "oneOf") != nil || !strings.HasSuffix(name, "Refusal") {
				bad(key, "a branch of a union of refusals is one refusal, %s is not", name)
				continue
			}
			if prev, ok := used[name]; ok && prev.Status != status {
				bad(key, "%s answers %d here and %d elsewhere: a refusal has one status", name, status, prev.Status)
			}
			used[name] = refusal{Name: name, Status: status}
		}
		if len(c.refusalNames(schema)) == 0 {
			bad(key, "answer %d is not a named refusal: a $ref to a …Refusal schema, or to a oneOf of such", status)
		}
	}
	if success != 1 {
		bad(at, "an operation has one success, this has %d", success)
	}
	public := o.Permission == "public"
	needs := []struct {
		status int
		need   bool
		why    string
	}{
		{400, o.HasBody || len(items(get(op, "parameters"))) > 0, "it takes parameters or a body"},
		{401, !public, "it needs a credential"},
		{403, o.Audience != "" || !public && o.Permission != "any-key", "not every caller may"},
		{404, o.HasPathParam(), "its path names a thing"},
		{413, o.HasBody, "it takes a body"},
		{415, o.HasBody, "it takes a body"},
		{429, o.PerMinute > 0, "its rate is limited"},
		{500, true, "a server can fail"},
	}
	for _, n := range needs {
		if n.need && !statuses[n.status] {
			bad(at, "answer %d is not declared, but %s", n.status, n.why)
		}
	}
}

// HasPathParam says whether the path holds a parameter.
func (o operation) HasPathParam() bool { return pathParam.MatchString(o.Path) }

// answers says whether an operation's success is a stream of events, or a file.
func (c *contract) answers(op *yaml.Node) (stream, download bool) {
	for key, raw := range pairs(get(op, "responses")) {
		if strings.HasPrefix(key.Value, "2") {
			content := get(c.resolve(raw), "content")
			stream = stream || get(content, "text/event-stream") != nil
			download = download || get(content, "application/octet-stream") != nil || get(content, "*/*") != nil
		}
	}
	return stream, download
}

// refusalNames are the refusals that a $ref means: one, or the branches of a union. A union that stands in the answer
// itself has no name, and the generator makes code of it that does not compile.
func (c *contract) refusalNames(schema *yaml.Node) (names []string) {
	ref := str(schema, "$ref")
	if !strings.HasSuffix(ref, "Refusal") {
		return nil
	}
	branches := items(get(c.component(ref), "oneOf"))
	if branches == nil {
		return []string{strings.TrimPrefix(ref, componentPrefix)}
	}
	for _, b := range branches { // a union of unions has no refusal behind its branch, and operations says so
		names = append(names, strings.TrimPrefix(str(b, "$ref"), componentPrefix))
	}
	return names
}

func (c *contract) wantExamples(schema *yaml.Node, what string, bad func(*yaml.Node, string, ...any)) {
	ref := str(schema, "$ref")
	if ref == "" {
		bad(schema, "%s is a $ref to a named component, so that its type has a name", what)
		return
	}
	if n := c.component(ref); n != nil && len(items(get(n, "examples"))) == 0 {
		bad(schema, "%s has no examples: %s wants at least one", what, strings.TrimPrefix(ref, componentPrefix))
	}
}
