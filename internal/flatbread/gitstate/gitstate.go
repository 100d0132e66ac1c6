// SPDX-License-Identifier: Apache-2.0

// Package gitstate tells what a folder's git repository looks like now. It runs git to read, never to write: the index
// stays as it is, and nothing that the repository's own configuration names is run, since a log says which folder it is.
package gitstate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A State is a repository's.
type State struct {
	Branch      string // HEAD if none is checked out
	Commit      string // empty before the first
	Uncommitted []string
}

const (
	patience = 10 * time.Second
	maxFiles = 10000 // uncommitted, that are listed
)

var errSlow = fmt.Errorf("it took longer than %v", patience)

// Read reads the state of the repository that dir is in. ok is false if it is in none, or git is not there to ask. On an
// error the state is what was known by then, which may be a branch and never half of the rest.
func Read(ctx context.Context, dir string) (s State, ok bool, err error) {
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		return s, false, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
	defer cancel()
	g := git{ctx, dir, nil}
	inside, err := g.run("rev-parse", "--is-inside-work-tree")
	if errors.Is(err, exec.ErrNotFound) || failed(err) || string(bytes.TrimSpace(inside)) != "true" && err == nil {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	if g.off, err = g.filters(); err != nil {
		return s, false, err
	}
	if out, err := g.run("symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		s.Branch = string(bytes.TrimSpace(out))
	} else if s.Branch = "HEAD"; !failed(err) {
		return s, false, err
	}
	commit, err := g.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil && !failed(err) {
		return s, false, err
	}
	out, err := g.run("status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", "--untracked-files=all")
	if err != nil {
		return s, false, err
	}
	s.Commit = string(bytes.TrimSpace(commit))
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if len(entry) > 3 && len(s.Uncommitted) < maxFiles {
			s.Uncommitted = append(s.Uncommitted, strings.ToValidUTF8(entry[3:], "\ufffd"))
		}
	}
	return s, true, nil
}

type git struct {
	ctx context.Context
	dir string
	off []setting // what keeps what the repository names from running
}

type setting struct{ name, value string }

// always are settings that hold for each run.
var always = []setting{
	{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"core.quotePath", "false"}, {"core.untrackedCache", "false"}, {"protocol.allow", "never"},
}

func (g git) run(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(g.ctx, "git", append([]string{"--no-optional-locks", "--no-pager"}, args...)...)
	cmd.Dir = g.dir
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), aims), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		// A repository may lack objects that a fetch would bring: what fetches is whatever its settings name.
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	settings := slices.Concat(always, g.off)
	for i, s := range settings { // as -c, a name with a = in it would be another
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)))
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		var said string
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
			said = ": " + strings.TrimSpace(string(exit.Stderr))
		}
		return nil, fmt.Errorf("git %s in %s: %w%s", args[0], g.dir, cmp.Or(context.Cause(g.ctx), err), said)
	}
	return out, nil
}

// aims tells whether a variable of the environment could lead git to another repository than the folder's, or to other
// settings of it: whoever is run by a hook of git has such. Which settings are the person's own may be said.
func aims(variable string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
	switch name {
	case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH":
		return false
	}
	return strings.HasPrefix(name, "GIT_")
}

// failed tells whether git ran and said no.
func failed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.Exited()
}

// filters turns off the programs through which the repository's own settings would pass its files.
func (g git) filters() ([]setting, error) {
	out, err := g.run("config", "--show-scope", "-z", "--name-only", "--get-regexp", `^filter\..*\.(clean|smudge|process|required)$`)
	if failed(err) {
		return nil, nil // there are none
	} else if err != nil {
		return nil, err
	}
	var off []setting
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if scope, name := fields[i], fields[i+1]; scope == "local" || scope == "worktree" {
			value := ""
			if strings.HasSuffix(name, ".required") {
				value = "false"
			}
			off = append(off, setting{name, value})
		}
	}
	return off, nil
}
