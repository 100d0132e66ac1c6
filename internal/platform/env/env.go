// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/internal/platform/contract"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

// The variables.
const (
	DashboardURL  = "DANXBOT_DASHBOARD_URL"
	Credential    = "DANX_DASHBOARD_CREDENTIAL"
	Team          = "DANXBOT_TEAM"
	BoardID       = "DANXBOT_BOARD_ID"
	SlackReplyURL = "DANXBOT_SLACK_REPLY_URL"
	ExtraTools    = "DANXBOT_EXTRA_TOOLS"
	SessionID     = "CLAUDE_CODE_SESSION_ID"
	ConfigHome    = "XDG_CONFIG_HOME"
	HTTPToken     = "DANXBOT_HTTP_TOKEN"
)

// Config is what the environment says.
type Config struct {
	Dashboard     string      // absolute URL without a trailing slash; scheme and host in lower case
	Credential    secret.Text // of a dispatch; zero for a person's session
	Team          string      // "" is none
	Board         int64       // 0 is none
	SlackReplyURL string      // "" is none
	ExtraTools    []string    // in their order, each once
	SessionID     string      // "" when the key is to be kept in memory
	ConfigDir     string      // "" when there is no place for files; then the key is kept in memory too
	HTTPToken     secret.Text // what clients over HTTP have to send; zero has one made
	// Notes are oddities that do not stop the start, a line each for whoever reads the log.
	Notes []string
}

// SettingError refuses the value of one variable.
type SettingError struct {
	Variable string
	Held     string // the value, quoted and made safe to print; "" when it is secret or there is none
	Problem  string // what is wrong and what to do
}

func (e *SettingError) Error() string {
	if e.Held == "" {
		return e.Variable + " " + e.Problem
	}
	return e.Variable + " holds " + e.Held + ": " + e.Problem
}

// longest bounds each variable, in bytes.
const longest = 4096

var (
	teamSlug  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	sessionID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
	toolName  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	template  = regexp.MustCompile(`\$\{[^{}]*\}`)
	// leftover is what template languages leave of a credential: no key looks like that.
	leftover = regexp.MustCompile(`\$\{|\{\{|^\$[A-Za-z_]\w*$|^%[A-Za-z_]\w*%$|^(?i:null|undefined)$`)
)

// Parse reads the variables through lookup, as os.LookupEnv is one. home finds the home folder, as os.UserHomeDir does.
// The error is a *SettingError about the first variable that is refused.
func Parse(lookup func(string) (string, bool), home func() (string, error)) (Config, error) {
	var c Config
	for _, rule := range []struct {
		variable string
		read     func(*Config, string) error
	}{
		{DashboardURL, readDashboard},
		{Credential, readCredential},
		{Team, readTeam},
		{BoardID, readBoard},
		{SlackReplyURL, readSlackReply},
		{ExtraTools, readExtraTools},
		{SessionID, readSessionID},
		{ConfigHome, func(c *Config, v string) error { return readConfigHome(c, v, home) }},
		{HTTPToken, readHTTPToken},
	} {
		value, _ := lookup(rule.variable)
		if err := precheck(rule.variable, value); err != nil {
			return Config{}, err
		}
		if err := rule.read(&c, value); err != nil {
			return Config{}, err
		}
	}
	if c.Credential.IsZero() && c.SessionID != "" && c.ConfigDir == "" {
		c.Notes = append(c.Notes, "no home folder: the session's key is kept in memory and ends with this process")
	}
	return c, nil
}

// precheck is what no variable may hold.
func precheck(variable, value string) error {
	switch {
	case template.MatchString(value):
		return refuse(variable, value, "the template was not substituted; set the variable that it names, or take this one out")
	case strings.ContainsRune(value, 0) || len(value) > longest:
		return refuse(variable, value, fmt.Sprintf("at most %d bytes without NUL are taken", longest))
	}
	return nil
}

func refuse(variable, value, problem string) error {
	switch variable {
	case Credential, HTTPToken:
		value = ""
	case DashboardURL, SlackReplyURL:
		value = shownURL(value)
	}
	if value == "" {
		return &SettingError{Variable: variable, Problem: "cannot be used: " + problem}
	}
	return &SettingError{Variable: variable, Held: held(value), Problem: problem}
}

// held is a value as it may be printed: on one line and not endless.
func held(value string) string {
	if runes := []rune(value); len(runes) > 200 {
		value = string(runes[:200]) + "…"
	}
	return strconv.Quote(value)
}

func readCredential(c *Config, v string) error {
	if leftover.MatchString(v) {
		return refuse(Credential, v, "it holds what a template left, and no key; set it to the key, or take it out")
	}
	if c.Credential = secret.New(v); v != "" && !c.Credential.Sendable() {
		return refuse(Credential, v, "it holds blanks, line ends or other characters that no key has")
	}
	return nil
}

// shortestToken is how long a token has to be that somebody chose, in characters: it is all that stands between a caller
// and the session.
const shortestToken = 32

func readHTTPToken(c *Config, v string) error {
	switch c.HTTPToken = secret.New(v); {
	case v == "":
		return nil
	case leftover.MatchString(v):
		return refuse(HTTPToken, v, "it holds what a template left, and no token; set it to the token, or take it out")
	case len(v) < shortestToken:
		return refuse(HTTPToken, v, fmt.Sprintf("a token has at least %d characters; take it out to have one made", shortestToken))
	case !c.HTTPToken.Sendable():
		return refuse(HTTPToken, v, "it holds blanks, line ends or other characters that no header takes")
	}
	return nil
}

func readTeam(c *Config, v string) error {
	if v != "" && (len(v) > 100 || !teamSlug.MatchString(v)) {
		return refuse(Team, v, "a team is lower-case letters and digits, joined by single hyphens, at most 100 characters")
	}
	c.Team = v
	return nil
}

func readBoard(c *Config, v string) error {
	if v == "" {
		return nil
	}
	n, ok := contract.ParseBoard(strings.TrimSpace(v))
	if !ok {
		return refuse(BoardID, v, "a board is named by its number: a whole number from 1, without sign or leading zero")
	}
	c.Board = n
	return nil
}

func readExtraTools(c *Config, v string) error {
	if v == "" {
		return nil
	}
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if !toolName.MatchString(name) {
			return refuse(ExtraTools, v, "it is a list of tool names joined by commas, without empty places")
		}
		if !slices.Contains(c.ExtraTools, name) {
			c.ExtraTools = append(c.ExtraTools, name)
		}
	}
	return nil
}

// readSessionID lets an id that cannot name a file pass: other clients have ids of their own making, and a key in
// memory serves them.
func readSessionID(c *Config, v string) error {
	if v != "" && !sessionID.MatchString(v) {
		c.Notes = append(c.Notes, fmt.Sprintf("%s holds %s, which cannot name a file: the key is kept in memory and ends with this process", SessionID, held(v)))
		return nil
	}
	c.SessionID = v
	return nil
}

// readConfigHome ignores a relative path, as the XDG base directory rules want it, but says so.
func readConfigHome(c *Config, v string, home func() (string, error)) error {
	if filepath.IsAbs(v) {
		c.ConfigDir = filepath.Clean(v)
		return nil
	}
	dir, err := home()
	if err == nil && filepath.IsAbs(dir) {
		c.ConfigDir = filepath.Join(dir, ".config")
	}
	if v != "" {
		c.Notes = append(c.Notes, fmt.Sprintf("%s holds %s, which is no absolute path: it is ignored, as the XDG rules want it", ConfigHome, held(v)))
	}
	return nil
}
