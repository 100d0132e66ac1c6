// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/store"
)

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API and the pages",
		Long: `Serves the API and the pages until it is interrupted, then lets the calls that run end. The first start prints a link
that creates the first team and its first person; it works once.

A flag wins over its variable, which stands behind it in brackets.`,
		Example: `  dashboard serve
  dashboard serve --addr 127.0.0.1:8080 --database ./dashboard.db
  dashboard serve --addr 0.0.0.0:5555 --public-url https://dash.example.com --trusted-proxies 1 \
    --database postgres://dashboard@db.internal/dashboard --log-format json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readSettings(cmd)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), s, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	addSettings(cmd)
	return cmd
}

func serve(ctx context.Context, s Settings, out, errOut io.Writer) (err error) {
	on, err := listen(ctx, s.Addr)
	if err != nil {
		return err
	}
	if s.PublicURL == "" {
		host, _, _ := net.SplitHostPort(s.Addr)
		s.PublicURL = "http://" + net.JoinHostPort(host, strconv.Itoa(on.Addr().(*net.TCPAddr).Port))
	}
	server, err := Open(ctx, s, newLog(errOut, s.LogFormat))
	if err != nil {
		return errors.Join(explain(err), on.Close())
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	fmt.Fprintf(out, "serving %s\n", s.PublicURL)
	if link := server.SetupLink(); link != "" {
		fmt.Fprintf(out, "create the first team and person: %s\n", link)
	}
	return server.Serve(ctx, on)
}

func newLog(to io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(to, nil))
	}
	return slog.New(slog.NewTextHandler(to, nil))
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	on, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, cli.Hint(fmt.Errorf("%s is in use", addr), "another dashboard may run there; take another port with --addr")
	case errors.Is(err, syscall.EACCES):
		return nil, cli.Hint(fmt.Errorf("listening on %s is not permitted", addr), "take a port above 1023 with --addr")
	case err != nil:
		return nil, cli.Hint(err, "take another address with --addr")
	}
	return on, nil
}

// explain adds what to do to what a database can say at a start.
func explain(err error) error {
	if errors.Is(err, store.ErrSchema) {
		return cli.Hint(err, "update this dashboard, or name another database with --database")
	}
	return err
}
