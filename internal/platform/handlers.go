// SPDX-License-Identifier: Apache-2.0

package platform

import (
	"context"

	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/permission"
	"github.com/fiftyarms/platform/internal/platform/visibility"
)

// PlanConnect signs the session in and connects it. Once it is, the tools that its key may use are shown, where the
// dashboard says soon what that is.
func (s *Server) PlanConnect(ctx context.Context, args mcptools.PlanConnectArgs) (mcptools.PlanConnectResult, error) {
	result, err := s.session.Connect(ctx, s.asker(ctx), args.Title)
	if err != nil || result.State != mcptools.PlanConnectResultStateConnected {
		return result, err
	}
	s.read(ctx)
	if board := s.o.Config.Board; board != 0 {
		result.Board = &board
	}
	return result, nil
}

// API calls one route, and says what to know besides of its answer.
func (s *Server) API(ctx context.Context, args mcptools.APIArgs) (mcptools.APIResult, error) {
	result, err := s.Trio.API(ctx, args)
	if err != nil {
		return result, err
	}
	result.Reminders = append(result.Reminders, permission.Hint(int(result.Status), result.Body)...)
	result.Reminders = append(result.Reminders, s.permissions.Reminders()...)
	return result, nil
}

// RequestPermission asks the person whose key the session holds for more permissions.
func (s *Server) RequestPermission(ctx context.Context, args mcptools.RequestPermissionArgs) (mcptools.RequestPermissionResult, error) {
	return s.permissions.RequestPermission(ctx, args)
}

// AttachFile uploads a file.
func (s *Server) AttachFile(ctx context.Context, args mcptools.AttachFileArgs) (mcptools.AttachFileResult, error) {
	result, err := s.files.AttachFile(ctx, args)
	if err == nil && result.Status != nil {
		result.Reminders = append(result.Reminders, permission.Hint(int(*result.Status), result.Body)...)
	}
	return result, err
}

// asker is what asks for access, as far as it says: the MCP client, on this machine, in this folder. The lengths are
// those that the contract takes.
func (s *Server) asker(ctx context.Context) dash.AskingClient {
	asker := dash.AskingClient{Name: "platform-mcp", Version: text(s.o.Version, 50), Host: text(s.o.Host, 255), Project: text(s.o.Project, 255)}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		if info := session.GetClientInfo(); info.Name != "" {
			asker.Name, asker.Version = *text(info.Name, 100), text(info.Version, 50)
		}
	}
	return asker
}

// text is at most n characters of s, without what a page could not show; nil when nothing is left.
func text(s string, n int) *string {
	if s == "" {
		return nil
	}
	runes := []rune(client.Visible(s))
	return new(string(runes[:min(n, len(runes))]))
}

// gate is what a tool answers whatever its arguments: the halt of the session's present standing, or why the tool is not
// shown. nil lets it work.
func (s *Server) gate(tool mcptools.Tool) error {
	standing := s.session.Ready
	if tool.Name == "plan_connect" {
		standing = s.session.Halted
	}
	if err := standing(); err != nil {
		return err
	}
	return visibility.Missing(tool, s.shown.Load().holding)
}
