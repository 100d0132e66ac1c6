// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

const mem = "mem:///contract.json"

// lintExamples compiles each component and holds its examples and defaults against it, formats asserted.
func (c *contract) lintExamples(p *problems) error {
	raw, err := toJSON(c.bundle)
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := compiler.AddResource(mem, doc); err != nil {
		return err
	}
	for name, n := range pairs(get(c.bundle, "components", "schemas")) {
		s := c.sourceOf(name.Value)
		schema, err := compiler.Compile(mem + componentPrefix + name.Value)
		if err != nil {
			p.add(s, n, "%s does not compile: %v", name.Value, err)
			continue
		}
		for _, e := range items(get(n, "examples")) {
			if err := validate(schema, e); err != nil {
				p.add(s, e, "an example of %s is not valid: %s", name.Value, strings.ReplaceAll(err.Error(), "\n", " "))
			}
		}
	}
	return nil
}

func validate(schema *jsonschema.Schema, example *yaml.Node) error {
	raw, err := toJSON(example)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

// sourceOf names the file that a component was written in.
func (c *contract) sourceOf(component string) *source {
	for _, s := range c.schemas {
		if str(s.root, "title") == component || get(s.root, "$defs", component) != nil {
			return s
		}
	}
	return c.spec
}
