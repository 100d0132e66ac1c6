// SPDX-License-Identifier: Apache-2.0

package env_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

func parse(vars map[string]string) (env.Config, error) {
	return env.Parse(func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		func() (string, error) { return "/home/ada", nil })
}

// with is a working environment and one more variable.
func with(name, value string) map[string]string {
	vars := map[string]string{env.DashboardURL: "http://127.0.0.1:5555"}
	vars[name] = value
	return vars
}

func TestDefaults(t *testing.T) {
	got, err := parse(with("OTHER", "x"))
	want := env.Config{Dashboard: "http://127.0.0.1:5555", ConfigDir: "/home/ada/.config"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestAll(t *testing.T) {
	key := strings.Repeat("k", 20)
	got, err := parse(map[string]string{
		env.DashboardURL:  "HTTPS://Dash.Example:8443/Team/a/",
		env.Credential:    key,
		env.Team:          "acme-2",
		env.BoardID:       " 14\t",
		env.SlackReplyURL: "https://dash.example/api/slack/reply?t=1",
		env.ExtraTools:    "attach_file, plan_events_wait,attach_file",
		env.SessionID:     "5d1c-0f1e_A",
		env.ConfigHome:    "/cfg/",
	})
	want := env.Config{
		Dashboard:     "https://dash.example:8443/Team/a",
		Credential:    secret.New(key),
		Team:          "acme-2",
		Board:         14,
		SlackReplyURL: "https://dash.example/api/slack/reply?t=1",
		ExtraTools:    []string{"attach_file", "plan_events_wait"},
		SessionID:     "5d1c-0f1e_A",
		ConfigDir:     "/cfg",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestEmptyIsNotSet(t *testing.T) {
	vars := with(env.DashboardURL, "http://127.0.0.1:5555")
	for _, name := range []string{env.Credential, env.Team, env.BoardID, env.SlackReplyURL, env.ExtraTools, env.SessionID, env.ConfigHome, env.HTTPToken} {
		vars[name] = ""
	}
	got, err := parse(vars)
	if diff := cmp.Diff(env.Config{Dashboard: "http://127.0.0.1:5555", ConfigDir: "/home/ada/.config"}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestDashboard(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:5555/":         "http://localhost:5555",
		"http://localhost:5555///":       "http://localhost:5555",
		"http://h/prefix/":               "http://h/prefix",
		"http://H.Example/Prefix":        "http://h.example/Prefix",
		"http://h:/":                     "http://h",
		"http://[::1]:5555":              "http://[::1]:5555",
		"https://danxbot-dashboard:5555": "https://danxbot-dashboard:5555",
		"http://h/a%20b":                 "http://h/a%20b",
		"http://my_host.local.:80":       "http://my_host.local.:80",
		"http://dásh.example":            "http://dásh.example",
		"http://[fe80::1]":               "http://[fe80::1]",
	} {
		got, err := parse(with(env.DashboardURL, in))
		if err != nil || got.Dashboard != want {
			t.Errorf("%s: %s, %v; want %s", in, got.Dashboard, err, want)
		}
	}
}

// TestRefusals holds every rule to its three duties: the start is refused, the variable is named, and what it holds is
// shown.
func TestRefusals(t *testing.T) {
	word := strings.Repeat("s", 3) + "ecret"
	tests := []struct {
		variable, value string
		held            string // "" when it is the value, quoted; "-" when none of it is shown
	}{
		{variable: env.DashboardURL, value: "localhost:5555", held: "-"},
		{variable: env.DashboardURL, value: "//localhost", held: "-"},
		{variable: env.DashboardURL, value: "ftp://h"},
		{variable: env.DashboardURL, value: "/api", held: "-"},
		{variable: env.DashboardURL, value: word, held: "-"},
		{variable: env.DashboardURL, value: "http://", held: "-"},
		{variable: env.DashboardURL, value: "http:///" + word, held: "-"},
		{variable: env.DashboardURL, value: "http://:5555", held: "-"},
		{variable: env.DashboardURL, value: "http:" + word, held: "-"},
		{variable: env.DashboardURL, value: "http://h:0"},
		{variable: env.DashboardURL, value: "http://h:65536"},
		{variable: env.DashboardURL, value: "http://h:x", held: "-"},
		{variable: env.DashboardURL, value: " http://h", held: "-"},
		{variable: env.DashboardURL, value: "http://h h", held: "-"},
		{variable: env.DashboardURL, value: "http://h\n", held: "-"},
		{variable: env.DashboardURL, value: "http://h\x01", held: "-"},
		{variable: env.DashboardURL, value: "http://h/#" + word, held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://h?", held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://h/" + word + "/../b", held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://h/a//b", held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://h/%2e%2e/b", held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://h/{tenant}", held: `"http://h":`},
		{variable: env.DashboardURL, value: "${DANXBOT_DASHBOARD_URL}", held: "-"},
		{variable: env.DashboardURL, value: "http://${HOST}:5555", held: "-"},
		{variable: env.DashboardURL, value: "http://h\x00", held: "-"},
		{variable: env.DashboardURL, value: "http://h?key=" + word, held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://ada:" + word + "@h/x", held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://" + word + "@h", held: `"http://h":`},
		{variable: env.DashboardURL, value: "http://ada:a/" + word + "@h", held: "-"},
		{variable: env.DashboardURL, value: "ada:" + word + "@h", held: "-"},
		{variable: env.DashboardURL, value: "http://*", held: "-"},
		{variable: env.DashboardURL, value: "http://h<x>", held: "-"},
		{variable: env.DashboardURL, value: "http://..", held: "-"},
		{variable: env.DashboardURL, value: "http://a..b", held: "-"},
		{variable: env.DashboardURL, value: "http://a,b", held: "-"},
		{variable: env.DashboardURL, value: "http://[fe80::1%25eth0]", held: "-"},
		{variable: env.DashboardURL, value: "http://[127.0.0.1]", held: "-"},
		{variable: env.DashboardURL, value: "http://[x]", held: "-"},
		{variable: env.DashboardURL, value: "http://" + strings.Repeat("a.", 127), held: "-"},
		{variable: env.Credential, value: word + "\n", held: "-"},
		{variable: env.Credential, value: word + "\r\nX-Other: 1", held: "-"},
		{variable: env.Credential, value: "Bearer " + word, held: "-"},
		{variable: env.Credential, value: " ", held: "-"},
		{variable: env.Credential, value: word + "é", held: "-"},
		{variable: env.Credential, value: "${" + word + "}", held: "-"},
		{variable: env.Credential, value: "${" + word, held: "-"},
		{variable: env.Credential, value: "$" + word, held: "-"},
		{variable: env.Credential, value: "{{" + word + "}}", held: "-"},
		{variable: env.Credential, value: "{{ ." + word + " }}", held: "-"},
		{variable: env.Credential, value: "%" + word + "%", held: "-"},
		{variable: env.Credential, value: "null", held: "-"},
		{variable: env.Credential, value: "undefined", held: "-"},
		{variable: env.Credential, value: strings.Repeat(word, 1000), held: "-"},
		{variable: env.Team, value: "Acme"},
		{variable: env.Team, value: "acme_x"},
		{variable: env.Team, value: "-acme"},
		{variable: env.Team, value: "acme-"},
		{variable: env.Team, value: "a--b"},
		{variable: env.Team, value: " acme"},
		{variable: env.Team, value: "acme\n"},
		{variable: env.Team, value: strings.Repeat("a", 101)},
		{variable: env.Team, value: "${DANXBOT_TEAM}"},
		{variable: env.Team, value: "${DANXBOT_TEAM:-acme}"},
		{variable: env.BoardID, value: "0"},
		{variable: env.BoardID, value: "007"},
		{variable: env.BoardID, value: "-1"},
		{variable: env.BoardID, value: "+1"},
		{variable: env.BoardID, value: "1.5"},
		{variable: env.BoardID, value: "1e3"},
		{variable: env.BoardID, value: "0x1"},
		{variable: env.BoardID, value: "1_000"},
		{variable: env.BoardID, value: "９"},
		{variable: env.BoardID, value: "1 2"},
		{variable: env.BoardID, value: " "},
		{variable: env.BoardID, value: "9007199254740992"},
		{variable: env.BoardID, value: "99999999999999999999"},
		{variable: env.BoardID, value: "main"},
		{variable: env.BoardID, value: "${BOARD}"},
		{variable: env.SlackReplyURL, value: "/api/slack/reply", held: "-"},
		{variable: env.SlackReplyURL, value: "file:///etc/passwd", held: "-"},
		{variable: env.SlackReplyURL, value: "https://h/?token=" + word + "#x", held: `"https://h":`},
		{variable: env.SlackReplyURL, value: "${DANXBOT_SLACK_REPLY_URL}", held: "-"},
		{variable: env.SlackReplyURL, value: "https://a:" + word + "@h/", held: `"https://h":`},
		{variable: env.ExtraTools, value: "attach_file,,x"},
		{variable: env.ExtraTools, value: "attach_file,"},
		{variable: env.ExtraTools, value: " "},
		{variable: env.ExtraTools, value: "attach file"},
		{variable: env.ExtraTools, value: "${EXTRA}"},
		{variable: env.SessionID, value: "${CLAUDE_CODE_SESSION_ID}"},
		{variable: env.ConfigHome, value: "${XDG_CONFIG_HOME}"},
		{variable: env.ConfigHome, value: "/home/${USER}/.config"},
		{variable: env.HTTPToken, value: strings.Repeat(word, 3), held: "-"},
		{variable: env.HTTPToken, value: strings.Repeat(word, 4) + " " + word, held: "-"},
		{variable: env.HTTPToken, value: strings.Repeat(word, 4) + "\n", held: "-"},
		{variable: env.HTTPToken, value: "${" + strings.Repeat(word, 4) + "}", held: "-"},
		{variable: env.HTTPToken, value: "{{" + strings.Repeat(word, 4) + "}}", held: "-"},
		{variable: env.HTTPToken, value: "null", held: "-"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s=%.40q", tt.variable, tt.value), func(t *testing.T) {
			got, err := parse(with(tt.variable, tt.value))
			var refused *env.SettingError
			if !errors.As(err, &refused) {
				t.Fatalf("not refused: %+v, %v", got, err)
			}
			text := err.Error()
			if !strings.HasPrefix(text, tt.variable+" ") || strings.ContainsAny(text, "\n\r\x00") {
				t.Errorf("the message does not begin with the variable, or is not one line: %s", text)
			}
			if strings.Contains(text, word) {
				t.Errorf("the message shows a secret: %s", text)
			}
			switch want := tt.held; {
			case want == "-": // hidden wholly
				if !strings.HasPrefix(text, tt.variable+" cannot be used: ") {
					t.Errorf("shown: %s", text)
				}
			case want != "":
				if !strings.Contains(text, want) {
					t.Errorf("%s lacks %s", text, want)
				}
			default:
				if !strings.Contains(text, fmt.Sprintf("%q", tt.value)) {
					t.Errorf("the message does not show the value: %s", text)
				}
			}
		})
	}
}

func TestMissingDashboard(t *testing.T) {
	for _, vars := range []map[string]string{{}, {env.DashboardURL: ""}} {
		if _, err := parse(vars); err == nil || !strings.HasPrefix(err.Error(), env.DashboardURL+" is not set") {
			t.Errorf("%v", err)
		}
	}
}

func TestLongValueIsCut(t *testing.T) {
	_, err := parse(with(env.Team, strings.Repeat("A", 3000)))
	if err == nil || len(err.Error()) > 500 {
		t.Errorf("%v", err)
	}
}

func TestLargestBoard(t *testing.T) {
	got, err := parse(with(env.BoardID, "9007199254740991"))
	if err != nil || got.Board != 9007199254740991 {
		t.Errorf("%d, %v", got.Board, err)
	}
}

// TestNotes: what does not stop the start is said.
func TestNotes(t *testing.T) {
	for _, tt := range []struct{ variable, value, note string }{
		{env.SessionID, "../../etc", `CLAUDE_CODE_SESSION_ID holds "../../etc"`},
		{env.SessionID, strings.Repeat("a", 129), "CLAUDE_CODE_SESSION_ID"},
		{env.SessionID, "a b\n", `"a b\n"`},
		{env.ConfigHome, "config", `XDG_CONFIG_HOME holds "config"`},
	} {
		got, err := parse(with(tt.variable, tt.value))
		if err != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], tt.note) || strings.Contains(got.Notes[0], "\n") {
			t.Errorf("%s=%q: %q, %v", tt.variable, tt.value, got.Notes, err)
		}
		if got.SessionID != "" || got.ConfigDir != "/home/ada/.config" {
			t.Errorf("%s=%q was used: %+v", tt.variable, tt.value, got)
		}
	}
}

func TestNoHome(t *testing.T) {
	vars := with(env.SessionID, "s1")
	got, err := env.Parse(func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		func() (string, error) { return "", errors.New("$HOME is not defined") })
	if err != nil || got.ConfigDir != "" || len(got.Notes) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestConfigShowsNoCredential(t *testing.T) {
	key := strings.Repeat("k", 20)
	vars := with(env.Credential, key)
	vars[env.HTTPToken] = strings.Repeat(key, 2)
	got, err := parse(vars)
	if err != nil || got.HTTPToken.Reveal() != vars[env.HTTPToken] {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%v %+v %#v", got, got, got); strings.Contains(text, key) {
		t.Error(text)
	}
}
