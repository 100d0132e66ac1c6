// SPDX-License-Identifier: Apache-2.0

package web

import "github.com/fiftyarms/platform/internal/dashboard/web/home"

// Patterns are the routes of every page.
func Patterns() (patterns []string) {
	for _, p := range pages(home.Connection{}) {
		patterns = append(patterns, p.pattern)
	}
	return patterns
}
