// SPDX-License-Identifier: Apache-2.0

// Command specgen reads the contract (openapi.yaml, api/tools.yaml, api/*.schema.json), refuses what the generators
// would turn into something else than one expects, each with its file and line, and writes what they and the binaries
// read: the bundle that oapi-codegen takes, the table of operations, the refusals, and the MCP tool catalogue.
//
//	go run ./tools/specgen [-root DIR]
package main

import (
	"flag"
	"fmt"
	"os"

	"go.yaml.in/yaml/v4"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintf(os.Stderr, "specgen: %v\n", err)
		os.Exit(1)
	}
}

func run(root string) error {
	c, err := load(root)
	if err != nil {
		return err
	}
	var p problems
	c.hoist(&p)
	if err := p.err(); err != nil {
		return err // without the components every reference would be told as missing
	}
	c.lintProfile(&p)
	out := output{MinMCPVersion: str(c.spec.root, "info", "x-mcp-min-version"), Version: str(c.spec.root, "info", "version")}
	if out.MinMCPVersion == "" {
		p.add(c.spec, get(c.spec.root, "info"), "info.x-mcp-min-version is missing")
	}
	out.Enums, out.Resources = c.enums(), c.resources(&p)
	out.Models = models(c.document(""))
	out.Operations, out.Refusals = c.operations(&p)
	servers, toolDoc, err := c.catalogue(&p)
	if err != nil {
		return err
	}
	out.Servers = servers
	if err := c.lintExamples(&p); err != nil {
		return err
	}
	if err := p.err(); err != nil {
		return err
	}
	return emit(root, c, out, toolDoc)
}

func emit(root string, c *contract, out output, toolDoc *yaml.Node) error {
	type file struct {
		path string
		make func() ([]byte, error)
	}
	dash := c.document("")
	files := []file{
		{"gen/dash/openapi.json", func() ([]byte, error) { return nodeJSON(dash) }},
		{"gen/dash/codegen.json", func() ([]byte, error) { return nodeJSON(ordered(dash)) }},
		{"gen/dash/operations.gen.go", func() ([]byte, error) { return goFile("operations.go.tmpl", out) }},
		{"gen/dash/refusals.gen.go", func() ([]byte, error) { return goFile("refusals.go.tmpl", out) }},
		{"gen/dash/reflect.gen.go", func() ([]byte, error) { return goFile("reflect.go.tmpl", out) }},
		{"gen/dash/time.gen.go", func() ([]byte, error) { return goFile("time.go.tmpl", out) }},
		{"gen/routes.md", func() ([]byte, error) { return textFile("routes.md.tmpl", out) }},
		{"gen/sqldb/doc.gen.go", func() ([]byte, error) { return goFile("sqldb.go.tmpl", out) }},
		{"gen/mcptools/tools.openapi.json", func() ([]byte, error) { return nodeJSON(ordered(toolDoc)) }},
		{"gen/mcptools/tool-defs.json", func() ([]byte, error) { return toolDefs(out.Servers) }},
		{"gen/mcptools/tools.gen.go", func() ([]byte, error) { return goFile("tools.go.tmpl", out) }},
	}
	for _, s := range c.schemas {
		if s.goPackage == "" {
			continue
		}
		dir, doc := "gen/"+s.goPackage+"/", c.document(s.goPackage)
		files = append(files,
			file{dir + "schema.json", func() ([]byte, error) { return nodeJSON(s.root) }},
			file{dir + "codegen.json", func() ([]byte, error) { return nodeJSON(ordered(doc)) }},
			file{dir + "doc.gen.go", func() ([]byte, error) {
				return goFile("package.go.tmpl", output{Package: s.goPackage, File: s.path, Models: models(doc)})
			}})
	}
	for _, f := range files {
		b, err := f.make()
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if err := write(root, f.path, b); err != nil {
			return err
		}
	}
	return nil
}

func nodeJSON(n *yaml.Node) ([]byte, error) {
	raw, err := toJSON(n)
	if err != nil {
		return nil, err
	}
	return indented(raw)
}
