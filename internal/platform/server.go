// SPDX-License-Identifier: Apache-2.0

package platform

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/mcpstdio"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/contract"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/keyfile"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/signin"
	"github.com/fiftyarms/platform/internal/platform/trio"
)

// serverName is what the server calls itself, and what clients prefix its tools with.
const serverName = "platform"

// Options make a Server.
type Options struct {
	Config  env.Config
	Version string // of this build, as major.minor.patch
	Host    string // the machine and the folder's name, shown to the person who is asked for access; "" is left out
	Project string
	// Diagnostics takes lines for whoever runs the server, one Write each and without secrets. A Write must not block:
	// calls wait for it.
	Diagnostics io.Writer

	Random    io.Reader                            // rand.Reader, or a test's; safe for concurrent use
	Now       func() time.Time                     // time.Now, or a test's
	After     func(time.Duration) <-chan time.Time // time.After, or a test's
	Transport http.RoundTripper                    // nil is the client's own
	Limits    client.Limits
}

// Server is one session's server.
type Server struct {
	*trio.Trio
	o       Options
	known   *secret.Known // every secret that this process has held
	log     *slog.Logger
	client  *client.Client
	keys    keyfile.Store
	session *signin.Session
	mcp     *server.MCPServer
}

var _ mcptools.PlatformHandlers = (*Server)(nil)

// New makes a server. Nothing runs before Serve.
func New(o Options) (*Server, error) {
	s := &Server{o: o, known: new(secret.Known)}
	s.log = slog.New(slog.NewTextHandler(s.known.Writer(o.Diagnostics), nil))
	var err error
	s.client, err = client.New(client.Options{
		Dashboard: o.Config.Dashboard, Version: o.Version, Transport: o.Transport, Limits: o.Limits, Known: s.known,
	})
	if err != nil {
		return nil, err
	}
	// A dispatch has no business with key files: it neither reads nor prunes them.
	if c := o.Config; c.Credential.IsZero() && c.SessionID != "" && c.ConfigDir != "" {
		s.keys = keyfile.At(c.ConfigDir, c.Dashboard, c.SessionID, o.Now)
	}
	s.session = signin.New(signin.Options{
		Client: s.client, Credential: o.Config.Credential, Keys: s.keys, Team: o.Config.Team,
		Now: o.Now, After: o.After, Log: s.log, Known: s.known,
	})
	s.Trio = trio.New(trio.Options{Session: s.session, Client: s.client, Contract: contract.Document, Board: o.Config.Board, Now: o.Now, Random: o.Random})
	s.mcp, err = s.newMCP()
	return s, err
}

const (
	// maxInFlight is how many requests run at once. It bounds memory: each may hold an answer, twice as large in its
	// frame, until the client has read it.
	maxInFlight = 64
	// maxQueue is how many more wait.
	maxQueue = 4096
)

// Serve answers the client on in and out until in ends or ctx is done, as mcpstdio.Serve does. When it returns, nothing
// of the server runs any more. It is called once.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	for _, note := range s.o.Config.Notes {
		s.log.Warn(note)
	}
	var tidying sync.WaitGroup
	tidying.Go(func() {
		if err := s.keys.Prune(); err != nil {
			s.log.Warn("old key files were not all removed", "error", err)
		}
	})
	defer tidying.Wait()
	defer s.client.Close()
	defer s.session.Close()
	return mcpstdio.Serve(ctx, s.mcp, in, out, mcpstdio.Options{Log: s.log, MaxInFlight: maxInFlight, MaxQueue: maxQueue})
}

// PlanConnect signs the session in and connects it.
func (s *Server) PlanConnect(ctx context.Context, args mcptools.PlanConnectArgs) (mcptools.PlanConnectResult, error) {
	return s.session.Connect(ctx, s.asker(ctx), args.Title)
}

// asker is what asks for access, as far as it says: the MCP client, on this machine, in this folder. The lengths are
// those that the contract takes.
func (s *Server) asker(ctx context.Context) dash.AskingClient {
	asker := dash.AskingClient{Name: "platform-mcp", Version: text(s.o.Version, 50), Host: text(s.o.Host, 255), Project: text(s.o.Project, 255)}
	if session, ok := mcpstdio.FromContext(ctx); ok {
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

// gate is the halt that a tool answers in the session's present standing, whatever its arguments; nil lets it work.
func (s *Server) gate(tool string) error {
	if tool == "plan_connect" {
		return s.session.Halted()
	}
	return s.session.Ready()
}

// newMCP builds the protocol's server out of the tool catalogue.
func (s *Server) newMCP() (*server.MCPServer, error) {
	definitions, err := readDefinitions()
	if err != nil {
		return nil, err
	}
	srv := server.NewMCPServer(serverName, s.o.Version,
		server.WithInstructions(mcptools.PlatformInstructions), server.WithToolCapabilities(true))
	var tools []server.ServerTool
	for _, tool := range mcptools.PlatformTools(s) {
		definition, ok := definitions[tool.Name]
		if !ok {
			return nil, fmt.Errorf("tool %s has no definition", tool.Name)
		}
		tools = append(tools, s.serverTool(tool, definition))
	}
	srv.AddTools(tools...)
	return srv, nil
}
