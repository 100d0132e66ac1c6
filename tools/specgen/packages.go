// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// goPackages are the packages below gen/ that a schema file may be: generate.go and tools/oapi know each.
var goPackages = []string{"trace"}

// takePackages reads x-go-package of each schema file and removes it, so that it is out of profile anywhere else.
func (c *contract) takePackages(p *problems) {
	taken := map[string]string{}
	for _, s := range c.schemas {
		at := get(s.root, "x-go-package")
		if at == nil {
			continue
		}
		s.goPackage = at.Value
		if !slices.Contains(goPackages, s.goPackage) {
			p.add(s, at, "x-go-package %q: nothing generates it, only %s", s.goPackage, strings.Join(goPackages, ", "))
		}
		if other := taken[s.goPackage]; other != "" {
			p.add(s, at, "package %s is %s already", s.goPackage, other)
		}
		taken[s.goPackage] = s.path
		remove(s.root, func(k string) bool { return k == "x-go-package" })
	}
}

// target is the file that a reference written in s leads into.
func (c *contract) target(s *source, ref string) *source {
	file, fragment, _ := strings.Cut(ref, "#")
	for _, other := range c.schemas {
		if file == "./"+other.path {
			return other
		}
	}
	if file != "" || strings.HasPrefix(fragment, "/components/") {
		return c.spec
	}
	return s
}

// document is the bundle with the components of one Go package alone: "" is gen/dash, the only one with routes.
func (c *contract) document(goPackage string) *yaml.Node {
	doc := clone(c.bundle)
	schemas := get(doc, "components", "schemas")
	remove(schemas, func(name string) bool { return c.sourceOf(name).goPackage != goPackage })
	if goPackage == "" {
		return doc
	}
	names := map[string]string{}
	for name := range pairs(schemas) { // trace.TraceStep would say it twice
		short := strings.TrimPrefix(name.Value, exported(goPackage))
		if componentName.MatchString(short) && get(schemas, short) == nil && !slices.Contains(generatedNames, short) {
			names[componentPrefix+name.Value] = short
			name.Value = short
		}
	}
	rewriteRefs(schemas, func(ref string) string { return orSame(names[ref], ref) })
	return mapping("openapi", "3.1.0", "info", mapping("title", goPackage, "version", str(c.spec.root, "info", "version")),
		"paths", mapping(), "components", mapping("schemas", schemas))
}

// models are the components of a document that become structs.
func models(doc *yaml.Node) (names []string) {
	for name, n := range pairs(get(doc, "components", "schemas")) {
		if str(n, "type") == "object" && get(n, "x-go-type") == nil {
			names = append(names, name.Value)
		}
	}
	return names
}

func exported(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
