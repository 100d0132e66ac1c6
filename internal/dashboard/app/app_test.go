// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// clean takes the settings of whoever runs the tests away.
func clean(t *testing.T) (home string) {
	t.Helper()
	for _, s := range settings {
		t.Setenv(s.variable(), "")
	}
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", "")
	return home
}

func TestSettings(t *testing.T) {
	home := clean(t)
	defaults := Settings{
		Addr: "127.0.0.1:5555", Database: filepath.Join(home, ".local/share/50arms/dashboard.db"), LogFormat: "text",
	}
	with := func(change func(*Settings)) Settings {
		s := defaults
		change(&s)
		return s
	}
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want Settings
		fail string
	}{
		{name: "defaults", want: defaults},
		{name: "XDG", env: map[string]string{"XDG_DATA_HOME": "/data"},
			want: with(func(s *Settings) { s.Database = filepath.FromSlash("/data/50arms/dashboard.db") })},
		{name: "XDG that is relative", env: map[string]string{"XDG_DATA_HOME": "data"}, fail: `--database: XDG_DATA_HOME is "data"`},
		{name: "XDG that is relative, and a database", args: []string{"--database", "x.db"}, env: map[string]string{"XDG_DATA_HOME": "data"},
			want: with(func(s *Settings) { s.Database = "x.db" })},
		{name: "no home", env: map[string]string{"HOME": ""}, fail: "--database: there is no home folder"},
		{name: "flags", args: []string{"--addr=0.0.0.0:80", "--database=postgres://db/x", "--public-url=https://dash.example.com/", "--trusted-proxies=2", "--drain-delay=5s", "--log-format=json"},
			want: Settings{"0.0.0.0:80", "postgres://db/x", "https://dash.example.com", 2, 5 * time.Second, "json", ""}},
		{name: "variables", env: map[string]string{
			"DASHBOARD_ADDR": "[::1]:0", "DASHBOARD_DATABASE": "y.db", "DASHBOARD_PUBLIC_URL": "http://localhost:8080",
			"DASHBOARD_TRUSTED_PROXIES": "1", "DASHBOARD_DRAIN_DELAY": "1m", "DASHBOARD_LOG_FORMAT": "json", "DASHBOARD_BLOBS": "file:///files",
		}, want: Settings{"[::1]:0", "y.db", "http://localhost:8080", 1, time.Minute, "json", "file:///files"}},
		{name: "a flag wins over its variable", args: []string{"--addr=localhost:1", "--log-format=text"},
			env:  map[string]string{"DASHBOARD_ADDR": "nonsense", "DASHBOARD_LOG_FORMAT": "json"},
			want: with(func(s *Settings) { s.Addr = "localhost:1" })},
		{name: "bad address", args: []string{"--addr=5555"}, fail: `--addr: "5555": want HOST:PORT`},
		{name: "bad port", args: []string{"--addr=127.0.0.1:99999"}, fail: `--addr: "127.0.0.1:99999": want HOST:PORT`},
		{name: "bad address in the environment", env: map[string]string{"DASHBOARD_ADDR": "x"}, fail: `DASHBOARD_ADDR: "x": want HOST:PORT`},
		{name: "bad public URL", args: []string{"--public-url=dash"}, fail: `--public-url: public URL "dash": want`},
		{name: "bad public URL in the environment", env: map[string]string{"DASHBOARD_PUBLIC_URL": "https://x/y"}, fail: "DASHBOARD_PUBLIC_URL: public URL"},
		{name: "bad proxies", args: []string{"--trusted-proxies=many"}, fail: `--trusted-proxies: "many": want a number`},
		{name: "negative proxies", env: map[string]string{"DASHBOARD_TRUSTED_PROXIES": "-1"}, fail: `DASHBOARD_TRUSTED_PROXIES: "-1": want a number`},
		{name: "bad delay", args: []string{"--drain-delay=5"}, fail: `--drain-delay: "5": want a duration from 0s to 5m`},
		{name: "endless delay", env: map[string]string{"DASHBOARD_DRAIN_DELAY": "1h"}, fail: `DASHBOARD_DRAIN_DELAY: "1h": want a duration`},
		{name: "bad format", env: map[string]string{"DASHBOARD_LOG_FORMAT": "xml"}, fail: `DASHBOARD_LOG_FORMAT: "xml": want text or json`},
		{name: "open to others, and no public URL", args: []string{"--addr=0.0.0.0:5555"}, fail: "0.0.0.0:5555 takes calls from other machines"},
		{name: "open to others on every address", args: []string{"--addr=:5555"}, fail: ":5555 takes calls from other machines"},
		{name: "open to others by name", args: []string{"--addr=dash:5555"}, fail: "dash:5555 takes calls from other machines"},
		{name: "an argument", args: []string{"now"}, fail: `serve takes no argument, and got "now"`},
		{name: "an unknown flag", args: []string{"--port=1"}, fail: "unknown flag: --port"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			var got Settings
			root, errOut := Command(), &bytes.Buffer{}
			command, _, err := root.Find([]string{"serve"})
			if err != nil {
				t.Fatal(err)
			}
			command.RunE = func(cmd *cobra.Command, _ []string) (err error) {
				got, err = readSettings(cmd)
				return err
			}
			code := cli.Run(t.Context(), root, append([]string{"serve"}, tt.args...), nil, io.Discard, errOut)
			if tt.fail != "" {
				if code != cli.ExitUsage || !strings.Contains(errOut.String(), tt.fail) {
					t.Errorf("exit %d, %s", code, errOut)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); code != 0 || diff != "" {
				t.Errorf("exit %d, %s (-want +got):\n%s", code, errOut, diff)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	clean(t)
	for name, args := range map[string][]string{"help": {}, "serve": {"serve", "--help"}, "version": {"--version"}} {
		var out bytes.Buffer
		if code := cli.Run(t.Context(), Command(), args, nil, &out, io.Discard); code != 0 {
			t.Errorf("%s: exit %d", name, code)
		}
		testkit.Golden(t, filepath.Join("testdata", name+".txt"), out.Bytes())
	}
	var out bytes.Buffer
	if code := cli.Run(t.Context(), Command(), []string{"completion", "bash"}, nil, &out, io.Discard); code != 0 || out.Len() == 0 {
		t.Errorf("completion: exit %d", code)
	}
	extra := &cobra.Command{Use: "extra", Run: func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), "ran") }}
	out.Reset()
	if code := cli.Run(t.Context(), Command(extra), []string{"extra"}, nil, &out, io.Discard); code != 0 || out.String() != "ran" {
		t.Errorf("an extra command: exit %d, %s", code, &out)
	}
}

// started is a `dashboard serve` that runs.
type started struct {
	lines  []string // what it printed
	errOut *bytes.Buffer
	stop   context.CancelFunc
	ended  chan int
}

func start(t *testing.T, lines int, args ...string) *started {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	reader, writer := io.Pipe()
	s := &started{stop: stop, ended: make(chan int, 1), errOut: &bytes.Buffer{}}
	go func() {
		s.ended <- cli.Run(ctx, Command(), append([]string{"serve"}, args...), nil, writer, s.errOut)
		writer.Close()
	}()
	for out := bufio.NewScanner(reader); len(s.lines) < lines && out.Scan(); {
		s.lines = append(s.lines, out.Text())
	}
	if len(s.lines) < lines {
		t.Fatalf("exit %d: %s", <-s.ended, s.errOut)
	}
	go io.Copy(io.Discard, reader)
	return s
}

// The first start prints where it serves and a link that sets it up; the next one, only where.
func TestServe(t *testing.T) {
	testkit.NoLeaks(t)
	home := clean(t)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	first := start(t, 2, "--addr", "localhost:0", "--log-format", "json")
	url := strings.TrimPrefix(first.lines[0], "serving ")
	if !strings.HasPrefix(url, "http://localhost:") {
		t.Fatalf("it says %q", first.lines)
	}
	_, token, ok := strings.Cut(first.lines[1], url+"/setup?token=")
	if !ok {
		t.Fatalf("it says %q", first.lines)
	}
	for path, want := range map[string]string{"/": "text/html", "/signin": "text/html", "/readyz": "application/json"} {
		response, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if !strings.HasPrefix(response.Header.Get("Content-Type"), want) {
			t.Errorf("%s is %s", path, response.Header.Get("Content-Type"))
		}
	}
	body, err := json.Marshal(dash.Setup{
		Token: token, Team: dash.NewTeam{Slug: "acme", Name: "Acme"}, Name: "Ada", Email: "ada@example.com", Password: testkit.Password,
	})
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Post(url+"/api/auth/setup", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Errorf("set up: %s", response.Status)
	}
	first.stop()
	if code := <-first.ended; code != 0 {
		t.Errorf("exit %d: %s", code, first.errOut)
	}
	if strings.Contains(first.errOut.String(), token) || !strings.Contains(first.errOut.String(), `"operation":"setUp"`) {
		t.Errorf("it logged %s", first.errOut)
	}
	info, err := os.Stat(filepath.Join(home, ".local/share/50arms/dashboard.db"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the database: %v, %v", info, err)
	}
	second := start(t, 1, "--addr", "127.0.0.1:0")
	second.stop()
	if code := <-second.ended; code != 0 || strings.Contains(second.errOut.String(), "setup") {
		t.Errorf("exit %d: %s", code, second.errOut)
	}
}

func TestServeFails(t *testing.T) {
	testkit.NoLeaks(t)
	home := clean(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	folder := filepath.Join(home, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := "hunter" + "2"
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"a port that is taken", []string{"--addr", taken.Addr().String()}, []string{taken.Addr().String() + " is in use", "hint: another dashboard may run there"}},
		{"an address of another machine", []string{"--addr", "192.0.2.1:0", "--public-url", "http://x"}, []string{"192.0.2.1", "hint: take another address"}},
		{"a folder for a database", []string{"--addr", "127.0.0.1:0", "--database", folder}, []string{folder}},
		{"a database that is not there", []string{"--addr", "127.0.0.1:0", "--database", "postgres://me:" + secret + "@127.0.0.1:1/x?connect_timeout=1"}, []string{"database"}},
	}
	for _, tt := range tests {
		var errOut bytes.Buffer
		code := cli.Run(t.Context(), Command(), append([]string{"serve"}, tt.args...), nil, io.Discard, &errOut)
		if code != cli.ExitFailure || strings.Contains(errOut.String(), secret) {
			t.Errorf("%s: exit %d, %s", tt.name, code, &errOut)
		}
		for _, want := range tt.want {
			if !strings.Contains(errOut.String(), want) {
				t.Errorf("%s: %q is not in %s", tt.name, want, &errOut)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	var hint *cli.HintError
	if err := explain(fmt.Errorf("open: %w", store.ErrSchema)); !errors.As(err, &hint) || !errors.Is(err, store.ErrSchema) {
		t.Errorf("a database of a newer build: %v", err)
	}
	if err := explain(io.EOF); err != io.EOF {
		t.Errorf("anything else: %v", err)
	}
}

// The files on cards lie beside the database unless it is said.
func TestBesideDatabase(t *testing.T) {
	clean(t)
	t.Setenv("XDG_DATA_HOME", "/data")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for database, want := range map[string]string{
		"/var/x/dash.db": "/var/x/attachments", "x.db": filepath.Join(dir, "attachments"), "postgres://db/x": "/data/50arms/attachments",
	} {
		if got, err := besideDatabase(database); err != nil || got != blobs.FileURL(want) {
			t.Errorf("%s: %s, %v", database, got, err)
		}
	}
	t.Setenv("XDG_DATA_HOME", "data")
	if got, err := besideDatabase("postgres://db/x"); err == nil || !strings.Contains(err.Error(), "--blobs") {
		t.Errorf("%s, %v", got, err)
	}
	for _, place := range []string{"nowhere", "s3://bucket"} {
		if _, err := Open(t.Context(), Settings{Database: filepath.Join(t.TempDir(), "x.db"), PublicURL: "http://localhost", Blobs: place}, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", place, err)
		}
	}
}
