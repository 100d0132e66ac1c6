// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/platform"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/mcphttp"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/safefile"
)

// httpFlags are the command line's words on serving over HTTP.
type httpFlags struct {
	addr    string // "" serves over stdio
	remote  bool
	origins []string
}

// check refuses what makes no sense before anything listens.
func (f httpFlags) check(given func(flag string) bool) error {
	if !given("http") {
		if given("allow-remote") || given("allow-origin") {
			return cli.Usage("--allow-remote and --allow-origin go with --http")
		}
		return nil
	}
	host, port, err := net.SplitHostPort(f.addr)
	if err != nil || port == "" {
		return cli.Usage("--http %q: host:port or :port is wanted, like 127.0.0.1:8222", f.addr)
	}
	if !f.remote && !loopback(host) {
		return cli.Usage("--http %s would let other machines in: leave the host out to listen on 127.0.0.1, or say --allow-remote", f.addr)
	}
	for _, origin := range f.origins {
		if _, err := mcphttp.ParseOrigin(origin); err != nil {
			return cli.Usage("--allow-origin: %w", err)
		}
	}
	return nil
}

// loopback tells whether a host can only be this machine; none stands for 127.0.0.1.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// listen listens where the flags say.
func (f httpFlags) listen(ctx context.Context) (net.Listener, error) {
	addr := f.addr
	if strings.HasPrefix(addr, ":") {
		addr = "127.0.0.1" + addr
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--http: %w", err)
	}
	// A name leads wherever the system says, localhost too.
	if at, err := netip.ParseAddrPort(l.Addr().String()); !f.remote && (err != nil || !at.Addr().IsLoopback()) {
		return nil, errors.Join(fmt.Errorf("--http %s led to %s, which other machines reach: say --allow-remote if they may", f.addr, l.Addr()), l.Close())
	}
	return l, nil
}

// serveHTTP serves MCP at an address until ctx is done. Each client has a session of its own, whose key is in memory.
func serveHTTP(ctx context.Context, config env.Config, f httpFlags, errOut io.Writer) (err error) {
	l, err := f.listen(ctx)
	if err != nil {
		return err
	}
	token, file, err := httpToken(config, l.Addr())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, forget(file, token)) }()
	lines := startLines(errOut)
	defer lines.close()
	log := slog.New(slog.NewTextHandler(lines, nil))
	for _, note := range config.Notes {
		log.Warn(note)
	}
	from := "in " + env.HTTPToken
	if file != "" {
		from = "in " + file
	}
	log.Info("serving MCP over HTTP", "url", "http://"+l.Addr().String()+mcphttp.Path, "token", from)
	// The sessions share no key file: they are of different clients.
	config.SessionID, config.Notes = "", nil
	return mcphttp.Serve(ctx, l, mcphttp.Options{
		Open:  func() (mcphttp.Server, error) { return platform.New(options(config, lines)) },
		Token: token, Names: f.names(), Origins: f.origins,
		Random: rand.Reader, Now: time.Now, After: time.After, Log: log,
	})
}

// names are what clients may call this server, beside its address: the name that it was told to listen on, and, where
// others are let in, the machine's own.
func (f httpFlags) names() (names []string) {
	if host, _, err := net.SplitHostPort(f.addr); err == nil && host != "" {
		names = append(names, host)
	}
	if name := host(); f.remote && name != "" {
		names = append(names, name)
	}
	return names
}

// httpToken is what clients have to send: the token that was set, or one made now and kept in a file, which is then
// named.
func httpToken(config env.Config, at net.Addr) (token secret.Text, file string, err error) {
	if !config.HTTPToken.IsZero() {
		return config.HTTPToken, "", nil
	}
	if config.ConfigDir == "" {
		return token, "", fmt.Errorf("no home folder for the token: set %s", env.HTTPToken)
	}
	raw := make([]byte, 32)
	if _, err := io.ReadFull(rand.Reader, raw); err != nil {
		return token, "", fmt.Errorf("make a token: %w", err)
	}
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return token, "", fmt.Errorf("address %s: %w", at, err)
	}
	token = secret.New(hex.EncodeToString(raw))
	file = filepath.Join(config.ConfigDir, "danxbot", "http", port+".token")
	if err := safefile.Write(file, []byte(token.Reveal()+"\n")); err != nil {
		return token, "", fmt.Errorf("token file: %w", err)
	}
	return token, file, nil
}

// forget removes the token's file, unless another server has put its own there by now.
func forget(file string, token secret.Text) error {
	if file == "" {
		return nil
	}
	held, err := safefile.Read(file, 1<<10)
	if err == nil && secret.New(strings.TrimSpace(string(held))).Equal(token) {
		err = os.Remove(file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("token file: %w", err)
	}
	return nil
}
