// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

const componentPrefix = "#/components/schemas/"

// A contract is every source, and the one document that they make together.
type contract struct {
	spec    *source
	schemas []*source
	tools   *source
	bundle  *yaml.Node // openapi.yaml with the titles and $defs of api/*.schema.json among its components
}

func load(root string) (*contract, error) {
	c := &contract{}
	var err error
	if c.spec, err = readSource(root, "openapi.yaml"); err != nil {
		return nil, err
	}
	if c.tools, err = readSource(root, "api/tools.yaml"); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, "api", "*.schema.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, f := range files {
		s, err := readSource(root, "api/"+filepath.Base(f))
		if err != nil {
			return nil, err
		}
		c.schemas = append(c.schemas, s)
	}
	return c, nil
}

var componentName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

// hoist makes the bundle: oapi-codegen resolves no $defs, so each becomes a component of its own name.
func (c *contract) hoist(p *problems) {
	c.takePackages(p)
	c.bundle = clone(c.spec.root)
	components := get(c.bundle, "components", "schemas")
	if components == nil {
		p.add(c.spec, c.spec.root, "components.schemas is missing")
		return
	}
	names := map[string]string{} // "./api/x.schema.json" and its fragments -> component
	owner := map[string]bool{}
	for k := range pairs(components) {
		owner[k.Value] = true
	}
	claim := func(s *source, at *yaml.Node, name, ref string) bool {
		switch {
		case !componentName.MatchString(name):
			p.add(s, at, "%q cannot name a type: want letters and digits, a capital first", name)
			return false
		case owner[name]:
			p.add(s, at, "component %q is defined twice", name)
			return false
		}
		owner[name] = true
		names[ref] = name
		return true
	}
	type part struct {
		name, file string
		node       *yaml.Node
	}
	var parts []part
	for _, s := range c.schemas {
		file := "./" + s.path
		body := clone(s.root)
		if claim(s, s.root, str(s.root, "title"), file) {
			parts = append(parts, part{str(s.root, "title"), file, body})
		}
		for k, v := range pairs(get(s.root, "$defs")) {
			if claim(s, k, k.Value, file+"#/$defs/"+k.Value) {
				parts = append(parts, part{k.Value, file, clone(v)})
			}
		}
		remove(body, func(k string) bool { return k == "$defs" || k == "$schema" || k == "$id" })
	}
	rewriteRefs(c.bundle, func(ref string) string { return orSame(names[ref], ref) })
	for _, h := range parts {
		rewriteRefs(h.node, func(ref string) string {
			switch {
			case ref == "#":
				ref = h.file
			case strings.HasPrefix(ref, "#/$defs/"):
				ref = h.file + ref
			case strings.HasPrefix(ref, "../openapi.yaml#"):
				return strings.TrimPrefix(ref, "../openapi.yaml")
			}
			return orSame(names[ref], ref)
		})
		set(components, h.name, h.node)
	}
}

func orSame(component, ref string) string {
	if component == "" {
		return ref
	}
	return componentPrefix + component
}

// rewriteRefs maps each $ref below n. A property that is called $ref has no scalar value and is left alone.
func rewriteRefs(n *yaml.Node, f func(string) string) {
	for k, v := range pairs(n) {
		if k.Value == "$ref" && v.Kind == yaml.ScalarNode {
			v.Value = f(v.Value)
		}
	}
	for _, v := range n.Content {
		rewriteRefs(v, f)
	}
}

// component returns the schema that a "#/components/schemas/Name" reference or a bare name means, or nil.
func (c *contract) component(ref string) *yaml.Node {
	return get(c.bundle, "components", "schemas", strings.TrimPrefix(ref, componentPrefix))
}

// resolve follows a reference into components of any section.
func (c *contract) resolve(n *yaml.Node) *yaml.Node {
	for range 8 {
		ref := str(n, "$ref")
		if ref == "" {
			return n
		}
		n = get(c.bundle, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return nil
}

// ordered marks each property with its place, so that Go fields and the JSON that they make stand in the contract's
// order: what matters first is read first, also where an answer is cut.
func ordered(n *yaml.Node) *yaml.Node {
	c := clone(n)
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		place := 0
		for _, property := range pairs(get(n, "properties")) {
			if property.Kind == yaml.MappingNode {
				place++
				set(property, "x-order", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(place)})
			}
		}
		if str(n, "type") == "object" && str(n, "additionalProperties") == "false" && place == 0 {
			set(n, "x-go-type", scalar("struct{}")) // an object that is empty by its schema would become a map of anything
		}
		for _, v := range n.Content {
			walk(v)
		}
	}
	walk(c)
	return c
}
