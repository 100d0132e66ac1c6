// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// generatedNames are what the generated package says itself, whatever the contract.
var generatedNames = []string{
	"Client", "ClientInterface", "ClientOption", "ClientWithResponses", "ClientWithResponsesInterface", "HTTPRequestDoer", "RequestEditorFn",
	"ServerInterface", "ServerInterfaceWrapper", "StrictServerInterface", "StrictHandlerFunc", "StrictMiddlewareFunc", "StrictHTTPServerOptions",
	"StdHTTPServerOptions", "ServeMux", "MiddlewareFunc", "NewClient", "Handler", "HandlerFromMux", "HandlerWithOptions",
	"Operation", "Operations", "AllPermissions", "Document", "Time", "TimeLayout", "At", "Refusal", "RateLimit", "Public", "AnyKey",
	"ContractVersion", "MinMCPVersion", "ModelTypes", "Schema", "ParseResponse", "DecodeRefusal", "AudienceAll", "AudiencePerson", "AudienceAgent", "AudienceStranger",
}

// ofOperation matches what oapi-codegen names after an operation.
var ofOperation = regexp.MustCompile(`^(RequestObject|ResponseObject|Response|Params|[A-Za-z]*Body|[0-9]{3}.*)$`)

// lintGoNames refuses a component whose Go type would have a name that the generated package has already: its own, one
// that it makes of an operation, or one that it makes of an enum inside another component.
func (c *contract) lintGoNames(p *problems) {
	var operations []string
	for _, item := range pairs(get(c.spec.root, "paths")) {
		for _, op := range pairs(item) {
			if id := str(op, "operationId"); id != "" {
				operations = append(operations, strings.ToUpper(id[:1])+id[1:])
			}
		}
	}
	enums := map[string]string{}
	for name, n := range pairs(get(c.bundle, "components", "schemas")) {
		for k, v := range pairs(get(n, "properties")) {
			if get(v, "enum") != nil {
				enums[goName(name.Value+k.Value)] = name.Value + "." + k.Value
			}
		}
	}
	for name, n := range pairs(get(c.bundle, "components", "schemas")) {
		s := c.sourceOf(name.Value)
		if slices.Contains(generatedNames, name.Value) {
			p.add(s, n, "component %s is called like something in the generated package", name.Value)
		}
		for _, op := range operations {
			if rest, ok := strings.CutPrefix(name.Value, op); ok && ofOperation.MatchString(rest) {
				p.add(s, n, "component %s is called like a type that is made of operation %s", name.Value, op)
			}
		}
		if other := enums[goName(name.Value)]; other != "" {
			p.add(s, n, "component %s is called like the type of the enum %s", name.Value, other)
		}
		if get(n, "$ref") != nil {
			p.add(s, n, "component %s is another's second name: refer to that one", name.Value)
		}
	}
}

// lintRecursion refuses a component that reaches itself through a oneOf: a validator tries every branch at every level,
// so a body of 16 levels takes seconds and one of 30 never ends.
func (c *contract) lintRecursion(p *problems) {
	type edge struct {
		to     string
		choice bool
	}
	edges := map[string][]edge{}
	for name, n := range pairs(get(c.bundle, "components", "schemas")) {
		var walk func(n *yaml.Node, choice bool)
		walk = func(n *yaml.Node, choice bool) {
			for k, v := range pairs(n) {
				switch k.Value {
				case "$ref":
					edges[name.Value] = append(edges[name.Value], edge{strings.TrimPrefix(v.Value, componentPrefix), choice})
				case "examples":
				default:
					walk(v, choice || k.Value == "oneOf")
				}
			}
			for _, v := range items(n) {
				walk(v, choice)
			}
		}
		walk(n, false)
	}
	for name, n := range pairs(get(c.bundle, "components", "schemas")) {
		seen := map[edge]bool{}
		var reach func(at string, choice bool) bool
		reach = func(at string, choice bool) bool {
			for _, e := range edges[at] {
				e.choice = e.choice || choice
				if e.to == name.Value && e.choice {
					return true
				}
				if !seen[e] {
					seen[e] = true
					if reach(e.to, e.choice) {
						return true
					}
				}
			}
			return false
		}
		if reach(name.Value, false) {
			p.add(c.sourceOf(name.Value), n, "%s reaches itself through a oneOf: checking a deep value would never end", name.Value)
		}
	}
}

// lintComponentNames refuses a response, parameter or body that is called like a schema: both become one Go type.
func lintComponentNames(s *source, p *problems) {
	seen := map[string]string{}
	for section, v := range pairs(get(s.root, "components")) {
		if section.Value == "securitySchemes" || section.Value == "headers" || section.Value == "examples" {
			continue
		}
		for name := range pairs(v) {
			if other, dup := seen[goName(name.Value)]; dup {
				p.add(s, name, "%s.%s is called like something in %s: both become one Go type", section.Value, name.Value, other)
			}
			seen[goName(name.Value)] = section.Value
		}
	}
}
