// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/app"
)

// The process as a dashboard: it says where it is, and ends with its stdin.
const (
	serveArg = "serve"
	serveDir = "BENCH_DIR"
)

// serving is what it says.
type serving struct{ URL, SetupToken string }

func serve(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	url := "http://" + listener.Addr().String()
	server, err := app.Open(ctx, app.Settings{Database: filepath.Join(dir, "dashboard.db"), PublicURL: url}, slog.New(slog.DiscardHandler))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	if err := json.NewEncoder(out).Encode(serving{url, server.SetupToken()}); err != nil {
		return errors.Join(err, listener.Close(), server.Close())
	}
	return errors.Join(server.Serve(ctx, listener), server.Close())
}

// A dashboardProcess is a dashboard in a process of its own, on SQLite, with its first person and an agent's key to it.
type dashboardProcess struct {
	serving
	key string // of an agent
	cmd *exec.Cmd
	in  io.Closer

	person *dash.ClientWithResponses // keeps the session cookie
	csrf   string
}

func startDashboard(ctx context.Context, dir string) (*dashboardProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d := &dashboardProcess{cmd: exec.Command(self, serveArg)}
	d.cmd.Env = append(os.Environ(), serveDir+"="+dir)
	d.cmd.Stderr = os.Stderr
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &d.serving)
	}
	if err == nil {
		err = d.setUp(ctx)
	}
	if err == nil {
		d.key, err = d.approvedKey(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a dashboard: %w", err), d.stop())
	}
	return d, nil
}

func (d *dashboardProcess) stop() error { return errors.Join(d.in.Close(), d.cmd.Wait()) }

func (d *dashboardProcess) setUp(ctx context.Context) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	if d.person, err = dash.NewClientWithResponses(d.URL, dash.WithHTTPClient(&http.Client{Jar: jar})); err != nil {
		return err
	}
	me, err := d.person.SetUpWithResponse(ctx, dash.Setup{
		Token: d.SetupToken, Team: dash.NewTeam{Slug: "bench", Name: "Bench"}, Name: "Ada", Email: "ada@example.com", Password: rand.Text(),
	})
	if err != nil {
		return err
	}
	if me.JSON201 == nil {
		return fmt.Errorf("set up: %s", me.Body)
	}
	d.csrf = *me.JSON201.CsrfToken
	return nil
}

func (d *dashboardProcess) withCSRF(_ context.Context, r *http.Request) error {
	r.Header.Set("X-CSRF-Token", d.csrf)
	return nil
}

// approvedKey goes the way that an agent and a person go.
func (d *dashboardProcess) approvedKey(ctx context.Context) (string, error) {
	agent, err := dash.NewClientWithResponses(d.URL)
	if err != nil {
		return "", err
	}
	asked, err := agent.CreateAccessRequestWithResponse(ctx, dash.AccessRequestCreate{Client: dash.AskingClient{Name: "bench"}})
	if err != nil {
		return "", err
	}
	if asked.JSON201 == nil {
		return "", fmt.Errorf("ask: %s", asked.Body)
	}
	seen, err := d.person.GetAccessRequestWithResponse(ctx, asked.JSON201.PublicID)
	if err != nil {
		return "", err
	}
	if seen.JSON200 == nil {
		return "", fmt.Errorf("see: %s", seen.Body)
	}
	done, err := d.person.ApproveAccessRequestWithResponse(ctx, asked.JSON201.PublicID, dash.AccessRequestApproval{Digest: seen.JSON200.Digest}, d.withCSRF)
	if err != nil {
		return "", err
	}
	if done.JSON200 == nil {
		return "", fmt.Errorf("approve: %s", done.Body)
	}
	claimed, err := agent.ClaimAccessRequestWithResponse(ctx, dash.AccessRequestClaim{Secret: asked.JSON201.Secret})
	if err != nil {
		return "", err
	}
	if claimed.JSON200 == nil || claimed.JSON200.APIKey == nil {
		return "", fmt.Errorf("claim: %s", claimed.Body)
	}
	return *claimed.JSON200.APIKey, nil
}
