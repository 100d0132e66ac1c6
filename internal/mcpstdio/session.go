// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Session is the one client of a running [Serve]. Handlers get it from
// [FromContext], hooks of mcp-go as their ClientSession. All methods may be
// called from any goroutine, also after the session is over.
type Session struct {
	id  string
	box *outbox
	ask requests

	mu      sync.Mutex
	ready   bool
	version string
	info    mcp.Implementation
	caps    mcp.ClientCapabilities
	level   mcp.LoggingLevel
	tools   map[string]server.ServerTool
}

var (
	_ server.ClientSession              = (*Session)(nil)
	_ server.SessionWithTools           = (*Session)(nil)
	_ server.SessionWithClientInfo      = (*Session)(nil)
	_ server.SessionWithLogging         = (*Session)(nil)
	_ server.SessionWithElicitation     = (*Session)(nil)
	_ server.SessionWithSampling        = (*Session)(nil)
	_ server.SessionWithProtocolVersion = (*Session)(nil)
)

func newSession(box *outbox) *Session {
	return &Session{
		// Random, so that several sessions may share one MCPServer.
		id:    "stdio-" + rand.Text(),
		box:   box,
		ask:   newRequests(),
		level: mcp.LoggingLevelError,
	}
}

// FromContext returns the session that the context of a handler belongs to,
// and false when the handler was not called through [Serve].
func FromContext(ctx context.Context) (*Session, bool) {
	s, ok := server.ClientSessionFromContext(ctx).(*Session)
	return s, ok
}

// Notify sends a notification and returns when it has been handed to the
// output: what a handler notifies before it returns precedes its result.
// params must encode to a JSON object, or be nil for none. Notify waits for a
// client that reads slowly, at most until the session is over; then the error
// is [ErrClosed] or the write error that ended it.
func (s *Session) Notify(method string, params any) error {
	line, err := encodeMethod(0, method, params)
	if err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	if err := s.box.send(context.Background(), line); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	return nil
}

// NotificationChannel is for mcp-go, which sends exactly one notification to
// it for each time that it asks. It waits while half of the queue is taken, so
// that the send finds room.
func (s *Session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.box.room() }

// SessionID is unique to this run of [Serve]; it never goes over the wire.
func (s *Session) SessionID() string { return s.id }

// Initialize is called by mcp-go when the client initializes. Only from then
// on does mcp-go send notifications.
func (s *Session) Initialize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
}

// Initialized reports whether Initialize was called.
func (s *Session) Initialized() bool { return get(s, &s.ready) }

// SetLogLevel is called by mcp-go for logging/setLevel.
func (s *Session) SetLogLevel(level mcp.LoggingLevel) { set(s, &s.level, level) }

// GetLogLevel returns the least level the client wants; error until it says.
func (s *Session) GetLogLevel() mcp.LoggingLevel { return get(s, &s.level) }

// SetClientInfo is called by mcp-go with what the client says of itself.
func (s *Session) SetClientInfo(info mcp.Implementation) { set(s, &s.info, info) }

// GetClientInfo returns the client's name and version, empty before initialize.
func (s *Session) GetClientInfo() mcp.Implementation { return get(s, &s.info) }

// SetClientCapabilities is called by mcp-go with what the client declares.
func (s *Session) SetClientCapabilities(caps mcp.ClientCapabilities) { set(s, &s.caps, caps) }

// GetClientCapabilities returns what the client declared, nothing before
// initialize.
func (s *Session) GetClientCapabilities() mcp.ClientCapabilities { return get(s, &s.caps) }

// SetProtocolVersion is called by mcp-go with the negotiated version.
func (s *Session) SetProtocolVersion(version string) { set(s, &s.version, version) }

// ProtocolVersion returns the negotiated version, empty before initialize.
func (s *Session) ProtocolVersion() string { return get(s, &s.version) }

// SetSessionTools replaces the tools that only this session has; a name that
// the server has too is this session's. It sends no notification.
func (s *Session) SetSessionTools(tools map[string]server.ServerTool) {
	set(s, &s.tools, maps.Clone(tools))
}

// GetSessionTools returns a copy of the tools that only this session has.
func (s *Session) GetSessionTools() map[string]server.ServerTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.tools)
}

func get[T any](s *Session, field *T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *field
}

func set[T any](s *Session, field *T, value T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*field = value
}
