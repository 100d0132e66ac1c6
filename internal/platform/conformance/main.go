// SPDX-License-Identifier: Apache-2.0

//go:build conformance

// Command conformance serves what the MCP conformance suite looks for, over the transports of platform-mcp: a server on
// lines (package mcpstdio), which package mcphttp carries over HTTP. It is built with its tag alone, and belongs to no
// product. The suite is a Node program and no part of go test; it is run so:
//
//	go run -tags conformance ./internal/platform/conformance -addr 127.0.0.1:3000 &
//	npx @modelcontextprotocol/conformance@0.1.16 server --url http://127.0.0.1:3000/mcp \
//	    --expected-failures internal/platform/conformance/expected-failures.yml
//
// It needs Node 22. The suite sends no bearer token, so this program listens at -addr with a door that adds one, and
// leaves all else of a request as it is.
//
// The fixtures are those of what platform-mcp is made of: tools, progress, requests to the client. What it does not serve
// (prompts, resources, completion, sampling) has none; expected-failures.yml lists the scenarios that fail, and why.
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
	if err := serve(ctx, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// session is the server of one session.
type session struct{}

func (session) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return mcpstdio.Serve(ctx, fixtures(), in, out, mcpstdio.Options{})
}

// serve listens twice: the transport on a port of its own, and the door in front of it.
func serve(ctx context.Context, addr string) error {
	behind, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
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
	door := &http.Server{Addr: addr, ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: behind.Addr().String()})
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
	}}
	context.AfterFunc(ctx, func() { _ = door.Close() })
	err = door.ListenAndServe()
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, <-ended)
}
