// SPDX-License-Identifier: Apache-2.0

// Package visibility decides which tools a session is shown. It goes by what the catalogue declares of each tool and by
// what the session holds, and nothing else decides.
package visibility

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
)

// Holding is what a session holds.
type Holding struct {
	SignedIn    bool
	Permissions []dash.Permission // of its key
	Callbacks   []string          // the environment variables that hold a callback's URL
	Dispatch    bool              // else it is a person's session
	OptIns      []string          // the tools that a dispatch is named
}

// Tools are the names of the tools that a session is shown, in the order of the catalogue.
func Tools(catalogue []mcptools.Tool, h Holding) (names []string) {
	for _, tool := range catalogue {
		if Missing(tool, h) == nil {
			names = append(names, tool.Name)
		}
	}
	return names
}

// Missing is why a session is not shown a tool, in words for the agent; nil when it is.
func Missing(tool mcptools.Tool, h Holding) error {
	a := tool.Access
	if a.Always {
		return nil
	}
	audience := "person"
	if h.Dispatch {
		audience = "dispatch"
	}
	var lacking []string
	for _, needed := range a.Permissions {
		if !slices.Contains(h.Permissions, dash.Permission(needed)) {
			lacking = append(lacking, needed)
		}
	}
	switch {
	case a.Audience != "" && a.Audience != audience:
		return fmt.Errorf("%s is not for this session: it is for a %s's", tool.Name, a.Audience)
	case a.OptIn && h.Dispatch && !slices.Contains(h.OptIns, tool.Name):
		return fmt.Errorf("%s is not among the tools that this dispatch was given", tool.Name)
	case a.Callback != "" && !slices.Contains(h.Callbacks, a.Callback):
		return fmt.Errorf("%s cannot be used here: %s names no address to call back", tool.Name, a.Callback)
	case !h.SignedIn:
		return fmt.Errorf("%s needs a session that is signed in: call plan_connect first", tool.Name)
	case len(lacking) > 0:
		return fmt.Errorf("%s needs what this session's key is not known to hold: %s. Ask for it with request_permission", tool.Name, strings.Join(lacking, ", "))
	}
	return nil
}
