// SPDX-License-Identifier: Apache-2.0

package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/mcpstdio"
	"github.com/fiftyarms/platform/internal/platform/attach"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/contract"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/keyfile"
	"github.com/fiftyarms/platform/internal/platform/permission"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/signin"
	"github.com/fiftyarms/platform/internal/platform/trio"
	"github.com/fiftyarms/platform/internal/platform/visibility"
	"github.com/fiftyarms/platform/internal/platform/watch"
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

// Server is one session's server. Of its methods New's caller uses Serve alone, or Start, MCP and Close.
type Server struct {
	*trio.Trio
	files       *attach.Files
	permissions *permission.Asker
	o           Options
	known       *secret.Known // every secret that this process has held
	log         *slog.Logger
	client      *client.Client
	keys        keyfile.Store
	session     *signin.Session
	watch       *watch.Watch
	mcp         *server.MCPServer
	tools       []mcptools.Tool
	shown       atomic.Pointer[shown]

	end     context.CancelFunc // of what runs beside the calls
	running sync.WaitGroup
}

var _ mcptools.PlatformHandlers = (*Server)(nil)

// New makes a server. Nothing runs before Start or Serve.
func New(o Options) (*Server, error) {
	s := &Server{o: o, known: new(secret.Known), end: func() {}}
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
	s.files = attach.New(attach.Options{Session: s.session, Client: s.client, ConfigDir: o.Config.ConfigDir, Random: o.Random})
	s.watch = watch.New(watch.Options{
		Session: s.session, Base: s.client.Base(), Apply: s.apply, Log: s.log, Random: o.Random, Now: o.Now, After: o.After,
	})
	s.permissions = permission.New(permission.Options{
		Session: s.session, Client: s.client, Granted: s.read, Now: o.Now, After: o.After, Log: s.log,
	})
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
	defer s.Close()
	if err := s.Start(ctx); err != nil {
		return err
	}
	return mcpstdio.Serve(ctx, s.mcp, in, out, mcpstdio.Options{Log: s.log, MaxInFlight: maxInFlight, MaxQueue: maxQueue})
}

// Start begins what goes on beside the calls, until ctx is done or Close. A dispatch's permissions are read before it
// returns: one that cannot read them fails here, within about 20 s, rather than work without its tools. It is called
// once.
func (s *Server) Start(ctx context.Context) error {
	for _, note := range append(s.o.Config.Notes, s.strangers()...) {
		s.log.Warn(note)
	}
	if !s.o.Config.Credential.IsZero() {
		outdated := (*client.Outdated)(nil) // which every tool says better
		if err := s.watch.Load(ctx); err != nil && !errors.As(err, &outdated) {
			return fmt.Errorf("this dispatch's permissions could not be read: %w", err)
		}
	}
	ctx, s.end = context.WithCancel(ctx)
	s.running.Go(func() {
		if err := s.keys.Prune(); err != nil {
			s.log.Warn("old key files were not all removed", "error", err)
		}
	})
	s.running.Go(func() { s.watch.Run(ctx) })
	return nil
}

// MCP is the protocol's server, for a transport.
func (s *Server) MCP() *server.MCPServer { return s.mcp }

// Close ends what the server does beside calls, and returns when nothing of it runs any more. Calls have to be over.
func (s *Server) Close() {
	s.end()
	s.permissions.Close()
	s.session.Close()
	s.client.Close()
	s.running.Wait()
}

// newMCP builds the protocol's server out of the tool catalogue. It has all tools, and lists those that are shown: a
// call of another is answered in words, where the library would know no such tool.
func (s *Server) newMCP() (*server.MCPServer, error) {
	definitions, err := readDefinitions()
	if err != nil {
		return nil, err
	}
	hooks := new(server.Hooks)
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		result.Tools = s.shown.Load().of(result.Tools)
	})
	srv := server.NewMCPServer(serverName, s.o.Version,
		server.WithInstructions(mcptools.PlatformInstructions), server.WithToolCapabilities(true), server.WithHooks(hooks))
	s.tools = mcptools.PlatformTools(s)
	var tools []server.ServerTool
	for _, tool := range s.tools {
		definition, ok := definitions[tool.Name]
		if !ok {
			return nil, fmt.Errorf("tool %s has no definition", tool.Name)
		}
		tools = append(tools, s.serverTool(tool, definition))
	}
	srv.AddTools(tools...)
	s.shown.Store(s.see(visibility.Holding{}))
	return srv, nil
}
