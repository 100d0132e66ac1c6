// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go.yaml.in/yaml/v4"
)

// A resource is a schema whose rows are compact until a caller opts into more.
type resource struct {
	Name, Description string
	Always, Hashes    []string
	Fields, Relations []resourceField
}

type resourceField struct{ Name, Description, Resource string }

// resources reads every schema with x-resource, in the order of the contract.
func (c *contract) resources(p *problems) (out []resource) {
	known := map[string]bool{}
	schemas := get(c.spec.root, "components", "schemas")
	for _, n := range pairs(schemas) {
		known[str(n, "x-resource")] = true
	}
	for name, n := range pairs(schemas) {
		if get(n, "x-resource") == nil {
			for _, k := range []string{"x-opt-in", "x-relations", "x-hashes"} {
				if at := get(n, k); at != nil {
					p.add(c.spec, at, "%s: %s stands beside x-resource", name.Value, k)
				}
			}
			continue
		}
		r := resource{Name: str(n, "x-resource"), Description: str(n, "description")}
		opted := map[string]bool{}
		for _, f := range items(get(n, "x-opt-in")) {
			opted[f.Value] = true
			r.Fields = append(r.Fields, c.resourceField(n, f, p))
		}
		for f, to := range pairs(get(n, "x-relations")) {
			opted[f.Value] = true
			field := c.resourceField(n, f, p)
			if field.Resource = to.Value; !known[to.Value] {
				p.add(c.spec, to, "there is no resource %q", to.Value)
			}
			r.Relations = append(r.Relations, field)
		}
		for _, q := range items(get(n, "required")) {
			if opted[q.Value] {
				p.add(c.spec, q, "%s is opted into, so it cannot be required", q.Value)
			}
		}
		for f := range pairs(get(n, "properties")) {
			if !opted[f.Value] {
				r.Always = append(r.Always, f.Value)
			}
		}
		for _, h := range items(get(n, "x-hashes")) {
			c.resourceField(n, h, p)
			r.Hashes = append(r.Hashes, h.Value)
		}
		out = append(out, r)
	}
	return out
}

// resourceField is a property by its name, with the description that it has itself or by its type.
func (c *contract) resourceField(of, name *yaml.Node, p *problems) resourceField {
	f := get(of, "properties", name.Value)
	if f == nil {
		p.add(c.spec, name, "%q is no property", name.Value)
		return resourceField{Name: name.Value}
	}
	text := str(f, "description")
	if text == "" {
		text = str(c.component(str(f, "$ref")), "description")
	}
	if text == "" {
		p.add(c.spec, name, "%s has no description, and callers choose by it", name.Value)
	}
	return resourceField{Name: name.Value, Description: text}
}

// An enum is a schema whose values code goes through.
type enum struct {
	Type, Plural string
	Values       []string
}

// enums are those that code goes through in their order.
func (c *contract) enums() (out []enum) {
	for _, e := range []enum{{Type: "Permission", Plural: "Permissions"}, {Type: "IssueStatus", Plural: "IssueStatuses"}, {Type: "AuditAction", Plural: "AuditActions"}} {
		for _, v := range items(get(c.spec.root, "components", "schemas", e.Type, "enum")) {
			e.Values = append(e.Values, v.Value)
		}
		if len(e.Values) > 0 {
			out = append(out, e)
		}
	}
	return out
}
