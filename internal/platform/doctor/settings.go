// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/keyfile"
)

// settings reads the environment, and reports whether a session starts with it. Of several variables that are refused,
// all are told, and the dashboard is called all the same if its own is none of them.
func (x *examination) settings() bool {
	refused := map[string]bool{}
	lookup := func(name string) (string, bool) {
		switch {
		case !refused[name]:
			return x.o.Lookup(name)
		case name == env.DashboardURL:
			return "http://dashboard.invalid", true // so that the others are looked at; it is never called
		}
		return "", false
	}
	for {
		config, err := env.Parse(lookup, x.o.Home)
		bad := (*env.SettingError)(nil)
		if errors.As(err, &bad) && !refused[bad.Variable] {
			refused[bad.Variable] = true
			x.fail("settings", bad.Error(), "set "+bad.Variable+" right, where the MCP client is configured; no session starts until then")
			continue
		}
		if err != nil { // cannot be: Parse refuses variables, each once
			x.fail("settings", err.Error(), "")
			return false
		}
		x.config = config
		break
	}
	if refused[env.DashboardURL] {
		x.config.Dashboard = ""
	}
	x.known.Add(x.config.Credential)
	x.known.Add(x.config.HTTPToken)
	for _, note := range x.config.Notes {
		x.warn("settings", note, "")
	}
	c := x.config
	board := ""
	if c.Board != 0 {
		board = strconv.FormatInt(c.Board, 10)
	}
	for _, s := range []struct{ name, value string }{
		{env.DashboardURL, c.Dashboard},
		{env.Credential, ""},
		{env.Team, c.Team},
		{env.BoardID, board},
		{env.SlackReplyURL, host(c.SlackReplyURL)},
		{env.ExtraTools, strings.Join(c.ExtraTools, ",")},
		{env.SessionID, c.SessionID},
		{env.ConfigHome, c.ConfigDir},
		{env.HTTPToken, ""},
	} {
		held, _ := x.o.Lookup(s.name)
		setting := dash.DoctorSetting{Name: s.name, Set: held != ""}
		if s.value != "" {
			setting.Value = new(x.known.Hide(s.value))
		}
		x.report.Settings = append(x.report.Settings, setting)
	}
	return len(refused) == 0
}

// host is what may be shown of a URL whose path or query may be secret.
func host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || raw == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// findKey finds the key that a session would use, without asking anybody whether it works.
func (x *examination) findKey() {
	c := x.config
	x.report.Key = &dash.DoctorKey{State: dash.DoctorKeyStateNone}
	switch {
	case !c.Credential.IsZero():
		x.key = c.Credential
		x.report.Key.State, x.report.Key.Dispatch = dash.DoctorKeyStateUnchecked, new(true)
		return
	case c.Dashboard == "":
		return
	case c.SessionID == "" || c.ConfigDir == "":
		fix := ""
		if c.SessionID == "" {
			fix = "set " + env.SessionID + " to look at one session"
		}
		x.warn("key", "kept in the memory of the session's own process, where nobody else sees it: what follows is for a session that is signed out", fix)
		return
	}
	store := keyfile.At(c.ConfigDir, c.Dashboard, c.SessionID, x.o.Now)
	x.report.Key.File = new(store.Path())
	key, at, err := store.Stored()
	switch {
	case err != nil:
		x.report.Key.State = dash.DoctorKeyStateUnreadable
		x.warn("key", err.Error(), "a session here starts signed out; remove the file if it is no other session's, and call plan_connect")
	case key.IsZero():
		x.warn("key", "none is stored: a session here starts signed out", "call plan_connect in the session: it asks a person for access")
	default:
		x.known.Add(key)
		x.key = key
		x.report.Key.State, x.report.Key.StoredAt = dash.DoctorKeyStateUnchecked, new(dash.At(at))
	}
}
