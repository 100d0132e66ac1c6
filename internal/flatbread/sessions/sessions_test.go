// SPDX-License-Identifier: Apache-2.0

package sessions_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/flatbread/sessions"
	"github.com/fiftyarms/platform/internal/transcript"
)

const (
	record  = `{"type":"user","uuid":"1","sessionId":"abc","message":{"content":"go"}}` + "\n"
	foreign = "what no agent writes\n"
)

// home is one of a person who sets nothing, with logs that are each newer than the one before.
func home(t *testing.T, logs ...string) (env func() (transcript.Env, error), folder string) {
	t.Helper()
	dir := t.TempDir()
	folder = filepath.Join(dir, ".claude", "projects", "-work")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, text := range logs {
		path, at := filepath.Join(folder, string(rune('a'+i))+".jsonl"), time.Unix(int64(1e9+i), 0)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	return func() (transcript.Env, error) {
		return transcript.Env{Getenv: func(string) string { return "" }, Home: dir}, nil
	}, folder
}

// TestLatest: the newest that is a session of somebody, or of the agent that is named whatever it looks like.
func TestLatest(t *testing.T) {
	for _, c := range []struct {
		name   string
		logs   []string
		format string
		want   string // "" where there is none
		said   string // of which file
	}{
		{"the newest", []string{record, record}, "", "b.jsonl", ""},
		{"an empty one is none", []string{record, ""}, "", "a.jsonl", ""},
		{"nor is a foreign one", []string{record, foreign}, "", "a.jsonl", "b.jsonl"},
		{"unless its agent is named", []string{record, foreign}, "claude-code", "b.jsonl", ""},
		{"an empty one is none, of whom ever", []string{record, ""}, "claude-code", "a.jsonl", ""},
		{"not one", []string{foreign, ""}, "", "", "a.jsonl"},
		{"nothing there", nil, "", "", ""},
		{"of another agent", []string{record}, "codex", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			env, folder := home(t, c.logs...)
			var said bytes.Buffer
			got, err := sessions.Choice{Latest: true, Format: c.format}.Path(t.Context(), env, &said)
			none := (*sessions.ErrNone)(nil)
			switch {
			case c.want == "":
				if !errors.As(err, &none) {
					t.Errorf("%q, %v; want none", got, err)
				}
			case err != nil || got != filepath.Join(folder, c.want):
				t.Errorf("%q, %v; want %s", got, err, c.want)
			}
			if c.said == "" && said.Len() > 0 || c.said != "" && (!strings.Contains(said.String(), filepath.Join(folder, c.said)) || strings.Count(said.String(), "\n") != 1) {
				t.Errorf("it says %q, want a word on %q", said.String(), c.said)
			}
		})
	}
}

// TestWhyNobodyKnowsAFile that looks like a session.
func TestWhyNobodyKnowsAFile(t *testing.T) {
	for text, why := range map[string]string{
		foreign:              "",
		"\xff\xfe{\x00}\x00": "UTF-16",
		"{\n \"sessionId\": \"s\",\n \"a\": \"\x00\x00\"\n}\n": "a zero stands at byte 28",
	} {
		path := filepath.Join(t.TempDir(), "s.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := sessions.Detect(path)
		if !errors.Is(err, sessions.ErrUnknown) || !strings.Contains(err.Error(), why) || why == "" && strings.Count(err.Error(), ": ") != 1 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestAFileNeedsNoHome: nothing is asked that is not needed.
func TestAFileNeedsNoHome(t *testing.T) {
	homeless := func() (transcript.Env, error) { return transcript.Env{}, errors.New("no home") }
	if got, err := (sessions.Choice{File: "s.jsonl"}).Path(t.Context(), homeless, nil); got != "s.jsonl" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := (sessions.Choice{Latest: true}).Path(t.Context(), homeless, nil); err == nil || err.Error() != "no home" {
		t.Error(err)
	}
}

// TestASessionSaysWhereItIs, whatever folder its trace is read in.
func TestASessionSaysWhereItIs(t *testing.T) {
	_, folder := home(t, record)
	t.Chdir(folder)
	s, err := sessions.Choice{}.Read(t.Context(), "./../-work/a.jsonl", &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err = errors.Join(err, s.Close()); err != nil || s.Path != filepath.Join(here, "a.jsonl") {
		t.Errorf("%s, %v", s.Path, err)
	}
}

// TestNobodyWaitsForAFolder that is no longer wanted.
func TestNobodyWaitsForAFolder(t *testing.T) {
	env, _ := home(t, record)
	ctx, cancel := context.WithCancel(t.Context())
	asked := func() (transcript.Env, error) {
		cancel()
		return env()
	}
	_, _, err := sessions.Choice{}.All(ctx, asked)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
