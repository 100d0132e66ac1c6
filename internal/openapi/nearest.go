// SPDX-License-Identifier: Apache-2.0

package openapi

// Nearest lists the n routes of the document that are nearest to want, best
// first; see [NearestIn].
func (d *Document) Nearest(want string, n int) []string { return nil }

// NearestIn lists the n of routes that are nearest to want, best first. want
// is a wrong route name or a wrong call ("POST /api/key/5"), with or without
// its method. The same path under another method comes first; then the edit
// distance over segments decides, where a parameter takes anything cheaply, a
// typo costs by its size and a missing or extra segment costs most. Equal
// distances keep the order of routes.
func NearestIn(routes []string, want string, n int) []string { return nil }
