// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A source is one contract file as parsed, so that what is wrong in it can be named by line.
type source struct {
	path      string // relative to the root, with forward slashes
	root      *yaml.Node
	goPackage string // of a schema file, where its types are not in gen/dash
}

func readSource(root, path string) (*source, error) {
	b, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil { // JSON is YAML: schemas keep their lines too
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: want one mapping at the top", path)
	}
	s := &source{path: filepath.ToSlash(path), root: doc.Content[0]}
	return s, s.refuseOddYAML(s.root)
}

// refuseOddYAML refuses what JSON cannot say or what would be read two ways.
func (s *source) refuseOddYAML(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return fmt.Errorf("%s:%d: anchors and aliases are outside the safe profile; use $ref", s.path, n.Line)
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for k := range pairs(n) {
			if k.Kind != yaml.ScalarNode {
				return fmt.Errorf("%s:%d: a key must be a plain word", s.path, k.Line)
			}
			if seen[k.Value] {
				return fmt.Errorf("%s:%d: key %q stands twice", s.path, k.Line, k.Value)
			}
			seen[k.Value] = true
		}
	}
	for _, c := range n.Content {
		if err := s.refuseOddYAML(c); err != nil {
			return err
		}
	}
	return nil
}

// problems collects everything that is wrong, so that one run names it all.
type problems []string

func (p *problems) add(s *source, n *yaml.Node, format string, args ...any) {
	*p = append(*p, fmt.Sprintf("%s:%d: %s", s.path, n.Line, fmt.Sprintf(format, args...)))
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	sorted := slices.Clone(p)
	slices.SortFunc(sorted, func(a, b string) int { return strings.Compare(lineKey(a), lineKey(b)) })
	return fmt.Errorf("the contract is outside the safe profile:\n  %s", strings.Join(slices.Compact(sorted), "\n  "))
}

// lineKey orders problems by file and number of line.
func lineKey(s string) string {
	file, rest, _ := strings.Cut(s, ":")
	line, msg, _ := strings.Cut(rest, ":")
	return fmt.Sprintf("%s:%8s:%s", file, line, msg)
}

// pairs yields a mapping's keys and values in the order of the file.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// get returns the value under the path of keys, or nil.
func get(n *yaml.Node, keys ...string) *yaml.Node {
	for _, want := range keys {
		var next *yaml.Node
		for k, v := range pairs(n) {
			if k.Value == want {
				next = v
				break
			}
		}
		n = next
	}
	return n
}

// str returns the scalar under the path of keys, or "".
func str(n *yaml.Node, keys ...string) string {
	if v := get(n, keys...); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// items returns the elements of a list, or nil.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// set puts a value under a key, at the end where the key is new.
func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, scalar(key), value)
}

// remove takes the keys that match out of a mapping.
func remove(n *yaml.Node, match func(key string) bool) {
	var kept []*yaml.Node
	for k, v := range pairs(n) {
		if !match(k.Value) {
			kept = append(kept, k, v)
		}
	}
	n.Content = kept
}

func scalar(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

func mapping(kv ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(kv); i += 2 {
		v, ok := kv[i+1].(*yaml.Node)
		if !ok {
			v = scalar(kv[i+1].(string))
		}
		n.Content = append(n.Content, scalar(kv[i].(string)), v)
	}
	return n
}

func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, v := range n.Content {
		c.Content[i] = clone(v)
	}
	return &c
}

// toJSON writes a node as JSON, keys in the order of the file.
func toJSON(n *yaml.Node) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := writeJSON(&b, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		first := true
		for k, v := range pairs(n) {
			if !first {
				b.WriteByte(',')
			}
			first = false
			if err := writeValue(b, k.Value); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := writeJSON(b, v); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, v := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, v); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		var v any = n.Value
		if n.ShortTag() != "!!str" {
			if err := n.Decode(&v); err != nil {
				return fmt.Errorf("line %d: %w", n.Line, err)
			}
		}
		return writeValue(b, v)
	}
	return nil
}

func writeValue(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false) // the contract is read by people too
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
	return nil
}
