// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/routes"
)

// Match is what a concrete path stands for.
type Match struct {
	Operation *Operation
	Params    map[string]string // path parameters by name, percent-decoded; nil when there are none
}

// Match finds the operation of a concrete request. The path is the escaped
// path of the URL without its query. Literal segments beat segments with a
// parameter in a part of them, which beat whole parameters; of templates that
// differ in parameter names only, the first in the document wins. A parameter
// is never empty, so a trailing slash makes another path. HEAD is not implied
// by GET.
func (d *Document) Match(method, path string) (Match, bool) {
	var found Match
	d.tree().Walk(path, func(leaves []routes.Leaf[*Operation], values []string) bool {
		for _, l := range leaves {
			if l.Value.Method != method && !strings.EqualFold(l.Value.Method, method) {
				continue
			}
			found.Operation = l.Value
			if len(l.Names) > 0 {
				found.Params = make(map[string]string, len(l.Names))
				for i, name := range l.Names {
					found.Params[name] = values[i]
				}
			}
			return false
		}
		return true
	})
	return found, found.Operation != nil
}

// Allowed lists the methods that a concrete path has, in document order; for
// the Allow header of a 405.
func (d *Document) Allowed(path string) []string {
	var ops []*Operation
	d.tree().Walk(path, func(leaves []routes.Leaf[*Operation], _ []string) bool {
		for _, l := range leaves {
			ops = append(ops, l.Value)
		}
		return true
	})
	slices.SortFunc(ops, func(a, b *Operation) int { return cmp.Compare(a.index, b.index) })
	var out []string
	for _, op := range ops {
		if !slices.Contains(out, op.Method) {
			out = append(out, op.Method)
		}
	}
	return out
}

func (d *Document) buildTree() *routes.Tree[*Operation] {
	t := &routes.Tree[*Operation]{}
	for _, op := range d.ops {
		t.Add(op.Path, op)
	}
	return t
}
