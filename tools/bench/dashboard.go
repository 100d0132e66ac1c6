// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/dashboard/app"
)

// A dashboardProcess is a dashboard in this process, with an agent's key to it. The processes that are measured are
// its clients.
type dashboardProcess struct {
	url, key string
	server   *dashboard.Server
	cancel   context.CancelFunc
	served   chan error
}

func startDashboard(ctx context.Context, dir string) (*dashboardProcess, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &dashboardProcess{url: "http://" + listener.Addr().String(), served: make(chan error, 1)}
	d.server, err = app.Open(ctx, app.Settings{Database: filepath.Join(dir, "dashboard.db"), PublicURL: d.url}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	ctx, d.cancel = context.WithCancel(ctx)
	go func() { d.served <- d.server.Serve(ctx, listener) }()
	if d.key, err = d.approvedKey(ctx); err != nil {
		return nil, errors.Join(err, d.stop())
	}
	return d, nil
}

func (d *dashboardProcess) stop() error {
	d.cancel()
	return errors.Join(<-d.served, d.server.Close())
}

// approvedKey goes the way that an agent and a person go.
func (d *dashboardProcess) approvedKey(ctx context.Context) (string, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	api, err := dash.NewClientWithResponses(d.url, dash.WithHTTPClient(&http.Client{Jar: jar}))
	if err != nil {
		return "", err
	}
	me, err := api.SetUpWithResponse(ctx, dash.Setup{
		Token: d.server.SetupToken(), Team: dash.NewTeam{Slug: "bench", Name: "Bench"}, Name: "Ada", Email: "ada@example.com", Password: rand.Text(),
	})
	if err != nil || me.JSON201 == nil {
		return "", errors.Join(err, fmt.Errorf("set up: %s", me.Body))
	}
	asked, err := api.CreateAccessRequestWithResponse(ctx, dash.AccessRequestCreate{Client: dash.AskingClient{Name: "bench"}})
	if err != nil || asked.JSON201 == nil {
		return "", errors.Join(err, fmt.Errorf("ask: %s", asked.Body))
	}
	seen, err := api.GetAccessRequestWithResponse(ctx, asked.JSON201.PublicID)
	if err != nil || seen.JSON200 == nil {
		return "", errors.Join(err, fmt.Errorf("see: %s", seen.Body))
	}
	csrf := func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-CSRF-Token", *me.JSON201.CsrfToken)
		return nil
	}
	done, err := api.ApproveAccessRequestWithResponse(ctx, asked.JSON201.PublicID, dash.AccessRequestApproval{Digest: seen.JSON200.Digest}, csrf)
	if err != nil || done.JSON200 == nil {
		return "", errors.Join(err, fmt.Errorf("approve: %s", done.Body))
	}
	claimed, err := api.ClaimAccessRequestWithResponse(ctx, dash.AccessRequestClaim{Secret: asked.JSON201.Secret})
	if err != nil || claimed.JSON200 == nil || claimed.JSON200.APIKey == nil {
		return "", errors.Join(err, fmt.Errorf("claim: %s", claimed.Body))
	}
	return *claimed.JSON200.APIKey, nil
}
