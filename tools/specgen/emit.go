// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// output is everything that the templates may say.
type output struct {
	MinMCPVersion string
	Version       string
	Enums         []enum
	Resources     []resource
	Models        []string // schemas that are objects
	Package, File string   // of a schema file that is a package of its own
	Operations    []operation
	Refusals      []refusal
	Servers       []toolServer
}

var funcs = template.FuncMap{
	"quote":    strconv.Quote,
	"exported": exported,
	"comment": func(indent, s string) string {
		return strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+indent+"// ")
	},
	"strings": func(list []string) string {
		if len(list) == 0 {
			return "nil"
		}
		return fmt.Sprintf("%#v", list)
	},
	"list": func(list []string) string { return fmt.Sprintf("%#v", append([]string{}, list...)) }, // never null on the wire
}

// goFile executes a template into formatted Go.
func goFile(name string, data output) ([]byte, error) {
	b, err := textFile(name, data)
	if err != nil {
		return nil, err
	}
	src, err := format.Source(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, b)
	}
	return src, nil
}

func textFile(name string, data output) ([]byte, error) {
	t, err := template.New(name).Funcs(funcs).ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// toolDefs writes the catalogue as data: each server's instructions and tools.
func toolDefs(servers []toolServer) ([]byte, error) {
	type server struct {
		Instructions string            `json:"instructions"`
		Tools        []json.RawMessage `json:"tools"`
	}
	all := map[string]server{}
	for _, s := range servers {
		out := server{Instructions: s.Instructions}
		for _, t := range s.Tools {
			out.Tools = append(out.Tools, t.Definition)
		}
		all[s.Name] = out
	}
	return indented(all)
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// write puts a file below root, and leaves one that is the same alone.
func write(root, path string, b []byte) error {
	full := filepath.Join(root, filepath.FromSlash(path))
	if old, err := os.ReadFile(full); err == nil && bytes.Equal(old, b) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, b, 0o644)
}
