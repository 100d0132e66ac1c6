// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// A tool is one entry of the catalogue, ready to be written.
type tool struct {
	Name, Method, Title, Description string
	Args, Result                     string // Go types
	Access                           toolAccess
	Definition                       json.RawMessage
}

// toolAccess is who is shown a tool.
type toolAccess struct {
	Always      bool
	Permissions []string
	Callback    string
	Audience    string
	OptIn       bool
}

// A toolServer is one MCP server's part of the catalogue.
type toolServer struct {
	Name, GoName, Instructions string
	Tools                      []tool
}

var (
	toolName   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	methodName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	hints      = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
)

// catalogue reads and checks api/tools.yaml, and makes the document that types the tools: one operation a tool, which
// also lets a breaking-change check of OpenAPI documents see them.
func (c *contract) catalogue(p *problems) (servers []toolServer, doc *yaml.Node, err error) {
	s := c.tools
	schemas, paths := mapping(), mapping()
	for name, n := range pairs(get(s.root, "defs")) {
		lintSchema(s, n, p)
		set(schemas, name.Value, clone(n))
	}
	for name, server := range pairs(get(s.root, "servers")) {
		ts := toolServer{Name: name.Value, GoName: strings.ToUpper(name.Value[:1]) + name.Value[1:], Instructions: str(server, "instructions")}
		for _, n := range items(get(server, "tools")) {
			t, err := c.tool(n, p)
			if err != nil {
				return nil, nil, err
			}
			if get(schemas, t.Args) != nil || get(schemas, t.Result) != nil {
				p.add(s, n, "method %s stands twice", t.Method)
			}
			set(schemas, t.Args, clone(get(n, "input")))
			set(schemas, t.Result, clone(get(n, "result")))
			set(paths, "/tools/"+ts.Name+"/"+t.Name, mapping("post", toolOperation(t)))
			ts.Tools = append(ts.Tools, t)
		}
		slices.SortFunc(ts.Tools, func(a, b tool) int { return strings.Compare(a.Name, b.Name) })
		servers = append(servers, ts)
	}
	dropNull(schemas)
	rewriteRefs(schemas, func(ref string) string {
		name, ok := strings.CutPrefix(ref, "#/defs/")
		if !ok || get(s.root, "defs", name) == nil {
			p.add(s, s.root, "$ref %q: want #/defs/<Name>", ref)
		}
		return componentPrefix + name
	})
	doc = mapping("openapi", "3.1.0", "info", mapping("title", "MCP tools", "version", str(c.spec.root, "info", "version")),
		"paths", paths, "components", mapping("schemas", schemas))
	return servers, doc, nil
}

func toolOperation(t tool) *yaml.Node {
	body := func(name string) *yaml.Node {
		return mapping("application/json", mapping("schema", mapping("$ref", componentPrefix+name)))
	}
	required := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
	return mapping("operationId", t.Method, "summary", t.Title,
		"requestBody", mapping("required", required, "content", body(t.Args)),
		"responses", mapping("200", mapping("description", "The tool's answer.", "content", body(t.Result))))
}

func (c *contract) tool(n *yaml.Node, p *problems) (tool, error) {
	s := c.tools
	t := tool{Name: str(n, "name"), Method: str(n, "method"), Title: str(n, "title"), Description: strings.TrimSpace(str(n, "description"))}
	t.Args, t.Result = t.Method+"Args", t.Method+"Result"
	if !toolName.MatchString(t.Name) {
		p.add(s, n, "tool name %q: clients take %s", t.Name, toolName)
	}
	if !methodName.MatchString(t.Method) {
		p.add(s, n, "tool %s: method %q is no exported Go name", t.Name, t.Method)
	}
	if t.Title == "" || t.Description == "" {
		p.add(s, n, "tool %s needs a title and a description", t.Name)
	}
	for _, h := range hints {
		if v := get(n, "annotations", h); v == nil || v.ShortTag() != "!!bool" {
			p.add(s, n, "tool %s: annotations.%s is missing: a client assumes the worst", t.Name, h)
		}
	}
	input := get(n, "input")
	if input == nil || str(input, "type") != "object" || str(input, "additionalProperties") != "false" {
		p.add(s, n, "tool %s: input is an object with additionalProperties: false", t.Name)
	}
	for _, kw := range []string{"oneOf", "anyOf", "allOf", "$ref"} {
		if v := get(input, kw); v != nil {
			p.add(s, v, "tool %s: %s at the root of the input makes some clients refuse the whole list", t.Name, kw)
		}
	}
	for k, v := range pairs(get(input, "properties")) {
		if get(v, "type") == nil && get(v, "$ref") == nil {
			p.add(s, k, "tool %s: argument %s has no type: clients send what has an empty schema as a string", t.Name, k.Value)
		}
	}
	lintSchema(s, input, p)
	if get(n, "result") == nil {
		p.add(s, n, "tool %s has no result", t.Name)
	}
	lintSchema(s, get(n, "result"), p)
	t.Access = c.toolAccess(n, t.Name, p)
	return t, t.define(n, p, s)
}

var environmentVariable = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// toolAccess reads who is shown a tool. Nothing is shown to everybody by an oversight.
func (c *contract) toolAccess(n *yaml.Node, name string, p *problems) (a toolAccess) {
	at := get(n, "access")
	bad := func(n *yaml.Node, format string, args ...any) { p.add(c.tools, n, "tool "+name+": "+format, args...) }
	if at == nil {
		bad(n, "access is missing: always: true, or what a session needs to be shown it")
		return a
	}
	known := c.permissions()
	for k, v := range pairs(at) {
		switch k.Value {
		case "always":
			a.Always = v.Value == "true"
		case "permissions":
			for _, permission := range items(v) {
				if a.Permissions = append(a.Permissions, permission.Value); !slices.Contains(known, permission.Value) {
					bad(permission, "there is no permission %q", permission.Value)
				}
			}
		case "callback":
			if a.Callback = v.Value; !environmentVariable.MatchString(a.Callback) {
				bad(v, "access.callback is the name of an environment variable")
			}
		case "audience":
			if a.Audience = v.Value; !slices.Contains([]string{"person", "dispatch"}, a.Audience) {
				bad(v, "access.audience is person or dispatch")
			}
		case "opt_in":
			a.OptIn = v.Value == "true"
		default:
			bad(k, "nothing reads access.%s", k.Value)
		}
	}
	if !a.Always && len(a.Permissions) == 0 && a.Audience == "" {
		bad(at, "access lets everybody see it: say always: true")
	}
	if a.Always && (len(a.Permissions) > 0 || a.Callback != "" || a.Audience != "" || a.OptIn) {
		bad(at, "access: always goes with nothing else")
	}
	return a
}

// define writes the tool as a client sees it: a self-contained input schema without our own marks.
func (t *tool) define(n *yaml.Node, p *problems, s *source) error {
	input := clone(get(n, "input"))
	dropMarks(input)
	def := mapping("name", t.Name, "title", t.Title, "description", t.Description, "inputSchema", input, "annotations", clone(get(n, "annotations")))
	raw, err := toJSON(def)
	if err != nil {
		return err
	}
	t.Definition = raw
	schema, err := toJSON(input)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("mem:///input.json", v); err != nil {
		return err
	}
	if _, err := compiler.Compile("mem:///input.json"); err != nil {
		p.add(s, n, "tool %s: the input schema does not compile: %v", t.Name, err)
	}
	return nil
}

// dropMarks removes the x- keys, which speak to the generator alone.
func dropMarks(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		remove(n, func(k string) bool { return strings.HasPrefix(k, "x-") })
	}
	for _, v := range n.Content {
		dropMarks(v)
	}
}

// dropNull takes null out of the types that are said by hand: the generator would wrap them as nullable, and a
// json.RawMessage holds null itself.
func dropNull(n *yaml.Node) {
	if t := get(n, "type"); t != nil && get(n, "x-go-type") != nil {
		t.Content = slices.DeleteFunc(t.Content, func(v *yaml.Node) bool { return v.Value == "null" })
	}
	for _, v := range n.Content {
		dropNull(v)
	}
}
