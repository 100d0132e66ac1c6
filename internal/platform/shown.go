// SPDX-License-Identifier: Apache-2.0

package platform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/visibility"
)

// shown is what the session holds, and the tools that it therefore sees.
type shown struct {
	holding visibility.Holding
	names   []string
}

// see is what a session sees that holds h, beside what the environment gave it.
func (s *Server) see(h visibility.Holding) *shown {
	c := s.o.Config
	h.Dispatch, h.OptIns = !c.Credential.IsZero(), c.ExtraTools
	if c.SlackReplyURL != "" {
		h.Callbacks = append(h.Callbacks, env.SlackReplyURL)
	}
	return &shown{h, visibility.Tools(s.tools, h)}
}

// of are the tools of a list that are shown.
func (s *shown) of(list []mcp.Tool) []mcp.Tool {
	return slices.DeleteFunc(slices.Clone(list), func(t mcp.Tool) bool { return !slices.Contains(s.names, t.Name) })
}

// apply shows the tools that a key may use, or those of a session without one. The client is told only of a change: a
// list that is read again costs the session what its model had cached. It is called by one goroutine at a time.
func (s *Server) apply(signedIn bool, permissions []dash.Permission) {
	before, now := s.shown.Load(), s.see(visibility.Holding{SignedIn: signedIn, Permissions: permissions})
	s.shown.Store(now)
	if !slices.Equal(before.names, now.names) {
		s.mcp.SendNotificationToAllClients(mcp.MethodNotificationToolsListChanged, nil)
	}
}

// readSoon is how long a call waits for the permissions to be read.
const readSoon = 5 * time.Second

var errLate = errors.New("the dashboard took too long")

// read reads the permissions and shows the tools, unless that takes long: then the watch does it when it can.
func (s *Server) read(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := s.o.After(readSoon)
	go func() {
		select {
		case <-late:
			cancel(errLate)
		case <-ctx.Done():
		}
	}()
	if err := s.watch.Read(ctx); err != nil {
		s.log.Warn("the permissions were not read: the tools stay as they are for now", "error", err)
	}
}

// strangers are the notes on opt-ins that name no tool of this build.
func (s *Server) strangers() (notes []string) {
	for _, name := range s.o.Config.ExtraTools {
		known := false
		for _, tool := range s.tools {
			known = known || tool.Name == name
		}
		if !known {
			notes = append(notes, fmt.Sprintf("%s names %s, which is no tool of this build: it is overlooked", env.ExtraTools, name))
		}
	}
	return notes
}
