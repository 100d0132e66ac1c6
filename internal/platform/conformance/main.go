// SPDX-License-Identifier: Apache-2.0

//go:build conformance

// Command conformance serves what the MCP conformance suite looks for, over the transports of platform-mcp: a server on
// lines (package mcpstdio), which package mcphttp carries over HTTP. It is built with its tag alone, and belongs to no
// product. The suite is a Node program and no part of go test; it is run so:
//
//	go run -tags conformance ./internal/platform/conformance -addr 127.0.0.1:3000 &
//	npx @modelcontextprotocol/conformance@0.1.16 server --url http://127.0.0.1:3000/mcp --suite all
//
// It needs Node 22. The suite sends no bearer token, so this program listens at -addr with a door that adds one, and
// leaves all else of a request as it is. No scenario is expected to fail.
//
// The fixtures are more than platform-mcp serves, which has no prompts, resources, completion or sampling: here they are
// messages for the transport to carry.
//
// Three things the suite does not judge. server-sse-polling is about streams that can be resumed, which those of mcphttp
// cannot be: it finds JSON, and passes without a check. server-sse-multiple-streams finds JSON too, and checks only that
// three calls at once are answered. And it asks for no notification of a resource; the tests of this package do
// (go test -tags conformance).
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"time"

	"github.com/fiftyarms/platform/internal/mcpstdio"
	"github.com/fiftyarms/platform/internal/platform/mcphttp"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:3000", "where the suite calls")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	l, err := net.Listen("tcp", *addr)
	if err == nil {
		err = serve(ctx, l)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// session is the server of one session.
type session struct{}

func (session) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return mcpstdio.Serve(ctx, fixtures(), in, out, mcpstdio.Options{})
}

// serve answers at l, which it closes, until ctx is done. It listens twice: the transport on a port of its own, and the
// door in front of it.
func serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	behind, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, l.Close())
	}
	token := rand.Text() + rand.Text()
	ended := make(chan error, 1)
	go func() {
		ended <- mcphttp.Serve(ctx, behind, mcphttp.Options{
			Open:  func() (mcphttp.Server, error) { return session{}, nil },
			Token: secret.New(token), Random: rand.Reader, Now: time.Now, After: time.After,
			MaxSessions: 1000, // the suite ends none of its own
			Log:         slog.New(slog.NewTextHandler(os.Stderr, nil)),
		})
	}()
	door := &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: behind.Addr().String()})
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
	}}
	context.AfterFunc(ctx, func() { _ = door.Close() })
	err = door.Serve(l)
	if ctx.Err() != nil {
		err = nil
	}
	stop()
	return errors.Join(err, <-ended)
}
