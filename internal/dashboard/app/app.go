// SPDX-License-Identifier: Apache-2.0

// Package app is the dashboard's command line.
package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/dashboard/web"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/wake"
	"github.com/fiftyarms/platform/internal/wake/inproc"
	"github.com/fiftyarms/platform/internal/wake/pgnotify"
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
	files, err := openBlobs(ctx, s)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	waker, err := openWaker(s.Database, log)
	if err != nil {
		return nil, errors.Join(err, db.Close(), files.Close())
	}
	server, err := dashboard.New(ctx, dashboard.Config{
		Store:          db,
		Wake:           waker,
		Blobs:          files,
		PublicURL:      s.PublicURL,
		TrustedProxies: s.TrustedProxies,
		DrainDelay:     s.DrainDelay,
		Log:            log,
		Web: func(api http.Handler) (http.Handler, error) {
			return web.New(api, web.Options{PublicURL: s.PublicURL, Command: agentCommand, Log: log})
		},
	})
	if err != nil {
		if closer, ok := waker.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
		return nil, errors.Join(err, db.Close(), files.Close())
	}
	return server, nil
}

// openWaker opens what carries the word of news: on PostgreSQL to every replica, on SQLite, which has none, within this
// process.
func openWaker(database string, log *slog.Logger) (wake.Waker, error) {
	switch scheme, _, _ := strings.Cut(database, "://"); scheme {
	case "postgres", "postgresql":
		return pgnotify.New(database, log)
	}
	return &inproc.Waker{}, nil
}

// openBlobs opens where the files on cards are kept.
func openBlobs(ctx context.Context, s Settings) (*blobs.Store, error) {
	place := s.Blobs
	if place == "" {
		var err error
		if place, err = besideDatabase(s.Database); err != nil {
			return nil, err
		}
	}
	return blobs.Open(ctx, place)
}
