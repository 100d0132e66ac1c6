// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/dashboard/app"
	"github.com/fiftyarms/platform/internal/mcpclient"
)

// A world is one fresh dashboard, the person who uses it in a browser's place, and the agent's process.
type world struct {
	dir        string
	url        string
	setupToken string
	server     *dashboard.Server
	stop       context.CancelFunc
	served     chan error

	api             *dash.ClientWithResponses // the person's: it keeps the session cookie
	email, password string
	csrf            string

	errOut         io.Writer
	agent, reader  *mcpclient.Client // the reader may only read cards to begin with
	sessionID      string
	code, publicID string // of the request that a person decides next

	streams *http.Client
	stream  io.ReadCloser // the agent's, once it is open
	board   int64
	card    dash.Issue // as the agent saw it last
	item    dash.AcceptanceItem
}

// configFolder is where the agent's files lie, in the world's folder.
const configFolder = "config"

func newWorld(ctx context.Context, errOut io.Writer) (*world, error) {
	tmp, err := filepath.Abs(os.TempDir()) // a relative TMPDIR would move with each process's folder
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(tmp, "50arms-demo-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, errOut: &inTurn{to: errOut}, email: "ada@example.com", password: rand.Text(), sessionID: "demo-" + rand.Text(), streams: &http.Client{Transport: &http.Transport{}}, served: make(chan error, 1)}
	if err := w.serve(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	w.api, err = dash.NewClientWithResponses(w.url, dash.WithHTTPClient(&http.Client{Jar: jar, Timeout: stepTimeout}))
	return w, err
}

// serve starts the dashboard as `dashboard serve` does, on a port that the system picks.
func (w *world) serve(ctx context.Context) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.url = "http://" + listener.Addr().String()
	log := slog.New(slog.NewTextHandler(w.errOut, &slog.HandlerOptions{Level: slog.LevelWarn}))
	w.server, err = app.Open(ctx, app.Settings{Database: filepath.Join(w.dir, "dashboard.db"), PublicURL: w.url}, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	w.setupToken = w.server.SetupToken()
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx)) // the steps end first, then the server
	go func() { w.served <- w.server.Serve(ctx, listener) }()
	return nil
}

// inTurn writes for several at once: the server and the agents, each with its own copier.
type inTurn struct {
	mu sync.Mutex
	to io.Writer
}

func (i *inTurn) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.to.Write(p)
}

// spawn starts platform-mcp: this same binary under another name, with an environment of its own.
func (w *world) spawn(ctx context.Context, sessionID string) (*mcpclient.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, agentCommand)
	cmd.Env = append(cleanEnv(), "DANXBOT_DASHBOARD_URL="+w.url, "CLAUDE_CODE_SESSION_ID="+sessionID, "XDG_CONFIG_HOME="+filepath.Join(w.dir, configFolder))
	cmd.Stderr = w.errOut
	client, err := mcpclient.Start(cmd)
	if err != nil {
		return nil, err
	}
	if _, err := client.Initialize(ctx, "50arms-demo"); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// cleanEnv is the environment without what would make the agent a dispatch or point it at another dashboard.
func cleanEnv() (env []string) {
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "DANX") && !strings.HasPrefix(kv, "CLAUDE_CODE_SESSION_ID=") && !strings.HasPrefix(kv, "XDG_CONFIG_HOME=") {
			env = append(env, kv)
		}
	}
	return env
}

func (w *world) withCSRF(_ context.Context, r *http.Request) error {
	r.Header.Set("X-CSRF-Token", w.csrf)
	return nil
}

// wait holds the dashboard open until the context ends or the server does.
func (w *world) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-w.served:
		w.served <- err // close reads it again
		return err
	}
}

// close ends the agent, then the server, then deletes what they wrote.
func (w *world) close() error {
	var errs []error
	for _, client := range []*mcpclient.Client{w.agent, w.reader} {
		if client != nil {
			errs = append(errs, client.Close())
		}
	}
	if w.stream != nil {
		_ = w.stream.Close() // which the last step may have done
		w.streams.CloseIdleConnections()
	}
	if w.stop != nil {
		w.stop()
		select {
		case err := <-w.served:
			errs = append(errs, err)
		case <-time.After(stepTimeout):
			errs = append(errs, errors.New("the dashboard did not end"))
		}
		errs = append(errs, w.server.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(w.dir))...)
}

// agentLine is the command that starts platform-mcp from this clone. What `go run` built is gone once it ends, so the
// line runs the source again; outside a clone it is the installed command.
func agentLine() string {
	dir, err := os.Getwd()
	for err == nil {
		mod, bad := os.ReadFile(filepath.Join(dir, "go.mod"))
		if bad == nil && strings.HasPrefix(string(mod), "module github.com/fiftyarms/platform\n") {
			return cli.ShellLine([]string{"go", "-C", dir, "run", "./cmd/platform-mcp"})
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return agentCommand
}
