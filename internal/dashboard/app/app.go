// SPDX-License-Identifier: Apache-2.0

// Package app is the dashboard's command line.
package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/dashboard/web"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
)

// Command is `dashboard` with its commands, and with extra ones that only main can link.
func Command(extra ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:     "dashboard",
		Short:   "Where people decide what their coding agents may do",
		Version: cli.Version,
		Args:    cobra.NoArgs,
	}
	root.AddCommand(serveCommand())
	root.AddCommand(extra...)
	return root
}

// agentCommand starts the agent's side of the main job, as the pages tell people to type it.
var agentCommand = []string{"platform-mcp"}

// Open makes a server with its pages on the database that the settings name. Close it when it has served.
func Open(ctx context.Context, s Settings, log *slog.Logger) (*dashboard.Server, error) {
	db, err := sqlstore.Open(ctx, s.Database, sqlstore.Options{})
	if err != nil {
		return nil, err
	}
	server, err := dashboard.New(ctx, dashboard.Config{
		Store:          db,
		PublicURL:      s.PublicURL,
		TrustedProxies: s.TrustedProxies,
		DrainDelay:     s.DrainDelay,
		Log:            log,
		Web: func(api http.Handler) (http.Handler, error) {
			return web.New(api, web.Options{PublicURL: s.PublicURL, Command: agentCommand, Log: log})
		},
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return server, nil
}
