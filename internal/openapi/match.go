// SPDX-License-Identifier: Apache-2.0

package openapi

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
func (d *Document) Match(method, path string) (Match, bool) { return Match{}, false }

// Allowed lists the methods that a concrete path has, in document order; for
// the Allow header of a 405.
func (d *Document) Allowed(path string) []string { return nil }
