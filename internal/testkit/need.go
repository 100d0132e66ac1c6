// SPDX-License-Identifier: Apache-2.0

// Package testkit is what tests and recordings share: the services that they need, golden files, a clock and ids that
// they set, a check for goroutines left behind, and a running dashboard whose every message is held against the contract.
package testkit

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips a test that cannot run here and says what is missing. In CI (CI set) it fails instead: there nothing skips.
//
//   - "chromium": a Chromium on the PATH, or at CHROMIUM.
//   - "postgres": a server's address in TEST_POSTGRES, like postgres://postgres@127.0.0.1:5432/postgres.
//
// It returns the program's path or the address.
func Need(t testing.TB, service string) string {
	t.Helper()
	var found, missing string
	switch service {
	case "chromium":
		found, missing = chromium(), "no Chromium: install chromium, or name one in CHROMIUM"
	case "postgres":
		found, missing = os.Getenv("TEST_POSTGRES"), "no PostgreSQL: name a server in TEST_POSTGRES"
	case "git":
		found, _ = exec.LookPath("git")
		missing = "no git: install it"
	default:
		t.Fatalf("testkit.Need: unknown service %q", service)
	}
	switch {
	case found != "":
	case os.Getenv("CI") != "":
		t.Fatal(missing)
	default:
		t.Skip(missing)
	}
	return found
}

func chromium() string {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
