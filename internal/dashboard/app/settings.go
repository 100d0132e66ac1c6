// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fiftyarms/platform/internal/blobs"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard"
)

// Settings are what `dashboard serve` takes.
type Settings struct {
	Addr           string // where to listen, host:port
	Database       string // what sqlstore.Open takes
	PublicURL      string // where browsers and agents reach the server; "" is Addr, which has to be a loopback one
	TrustedProxies int
	DrainDelay     time.Duration
	LogFormat      string // text or json
	Blobs          string // what blobs.Open takes; "" is a folder beside the database's file
}

// A setting is given by its flag, else by its variable, else it has its default.
type setting struct {
	flag, fallback, usage string
	set                   func(*Settings, string) error
}

// variable is the setting's name in the environment: DASHBOARD_PUBLIC_URL for --public-url.
func (s setting) variable() string {
	return "DASHBOARD_" + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

var settings = []setting{
	{"addr", "127.0.0.1:5555", "listen on `HOST:PORT`; port 0 takes a free one", func(s *Settings, v string) error {
		_, port, err := net.SplitHostPort(v)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if s.Addr = v; err != nil {
			return fmt.Errorf("%q: want HOST:PORT, like 127.0.0.1:5555", v)
		}
		return nil
	}},
	{"database", "", "keep everything in `URL`: a file's path for SQLite, or postgres://…\n(default a file in $XDG_DATA_HOME/50arms)", func(s *Settings, v string) (err error) {
		if s.Database = v; v == "" {
			s.Database, err = defaultDatabase()
		}
		return err
	}},
	{"blobs", "", "keep the files on cards in the folder `URL`, like file:///srv/attachments\n(default attachments beside the database's file, or in $XDG_DATA_HOME/50arms)", func(s *Settings, v string) error {
		s.Blobs = v
		return nil
	}},
	{"public-url", "", "browsers and agents reach this server at `URL`\n(default the address that it listens on)", func(s *Settings, v string) error {
		if v == "" {
			return nil
		}
		u, err := dashboard.ParsePublicURL(v)
		if err == nil {
			s.PublicURL = u.String()
		}
		return err
	}},
	{"trusted-proxies", "0", "believe X-Forwarded-For of `N` proxies in front", func(s *Settings, v string) (err error) {
		s.TrustedProxies, err = strconv.Atoi(v)
		if err != nil || s.TrustedProxies < 0 || s.TrustedProxies > 10 {
			return fmt.Errorf("%q: want a number from 0 to 10", v)
		}
		return nil
	}},
	{"drain-delay", "0s", "when told to end, go on answering for `DURATION` while /readyz says 503,\nso that a load balancer can look away", func(s *Settings, v string) (err error) {
		s.DrainDelay, err = time.ParseDuration(v)
		if err != nil || s.DrainDelay < 0 || s.DrainDelay > 5*time.Minute {
			return fmt.Errorf("%q: want a duration from 0s to 5m", v)
		}
		return nil
	}},
	{"log-format", "text", "write the log as `FORMAT`, text or json", func(s *Settings, v string) error {
		if s.LogFormat = v; v != "text" && v != "json" {
			return fmt.Errorf("%q: want text or json", v)
		}
		return nil
	}},
}

func addSettings(cmd *cobra.Command) {
	for _, s := range settings {
		cmd.Flags().String(s.flag, s.fallback, s.usage+" ["+s.variable()+"]")
	}
}

// readSettings reads every setting. An error names the flag or the variable that it came from.
func readSettings(cmd *cobra.Command) (Settings, error) {
	var out Settings
	for _, s := range settings {
		flag := cmd.Flags().Lookup(s.flag)
		source, value := "--"+s.flag, flag.Value.String()
		if v := os.Getenv(s.variable()); v != "" && !flag.Changed {
			source, value = s.variable(), v
		}
		if err := s.set(&out, value); err != nil {
			return out, cli.Usage("%s: %w", source, err)
		}
	}
	if out.PublicURL == "" && !loopback(out.Addr) {
		return out, &cli.ExitError{Code: cli.ExitUsage, Err: cli.Hint(
			fmt.Errorf("%s takes calls from other machines, and nothing says at which address those reach it", out.Addr),
			"links and cookies need it: add --public-url, like https://dash.example.com")}
	}
	return out, nil
}

// loopback says whether only this machine reaches an address.
func loopback(addr string) bool {
	host, _, _ := net.SplitHostPort(addr)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// besideDatabase is where the files on cards are kept unless it is said: beside the database's file, or, where that is
// none, beside where it would be.
func besideDatabase(database string) (string, error) {
	if strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://") {
		var err error
		if database, err = defaultDatabase(); err != nil {
			return "", fmt.Errorf("%w for attachments with --blobs", err)
		}
	}
	file, err := filepath.Abs(database)
	return blobs.FileURL(filepath.Join(filepath.Dir(file), "attachments")), err
}

// defaultDatabase is where the data of programs lives for this user.
func defaultDatabase() (string, error) {
	base := os.Getenv("XDG_DATA_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("there is no home folder to keep the database in: name a file")
		}
		base = filepath.Join(home, ".local", "share")
	}
	if !filepath.IsAbs(base) {
		return "", fmt.Errorf("XDG_DATA_HOME is %q, which is no absolute path: mend it or name a file", base)
	}
	return filepath.Join(base, "50arms", "dashboard.db"), nil
}
