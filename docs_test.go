// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The worked example of docs/changing-the-contract.md is done here as a reader does it: on a copy of the repository, the
// page's edits are made and its commands run, in the page's order. A command has to succeed, but for one whose fence says
// `fails`: that one has to fail, and to say what the page says it does.
func TestChangingTheContract(t *testing.T) {
	page, err := os.ReadFile("docs/changing-the-contract.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fences(string(page))
	if len(blocks) == 0 {
		t.Fatal("the page has no fenced blocks")
	}
	clone := t.TempDir()
	copyTree(t, clone)
	for i, b := range blocks {
		switch b.kind {
		case "diff":
			if err := applyDiff(clone, b.text); err != nil {
				t.Fatalf("edit %d: %v", i, err)
			}
		case "sh", "sh fails":
			for command := range strings.Lines(b.text) {
				command, want, _ := strings.Cut(strings.TrimSpace(command), "  # ")
				out, err := runIn(t, clone, command)
				if failed := err != nil; failed != (b.kind == "sh fails") || failed && !strings.Contains(out, want) {
					t.Fatalf("%s: %v, want %s %s\n%s", command, err, b.kind, want, out)
				}
				if strings.HasPrefix(command, "gofmt -l") && out != "" {
					t.Errorf("%s: %s", command, out)
				}
			}
		}
	}
}

type fence struct{ kind, text string }

// fences are the fenced blocks of a page in their order.
func fences(page string) (out []fence) {
	open := regexp.MustCompile("(?ms)^```([a-z ]+)\n(.*?)^```$")
	for _, m := range open.FindAllStringSubmatch(page, -1) {
		out = append(out, fence{m[1], m[2]})
	}
	return out
}

// copyTree copies what the repository holds, or would if all that is here were committed.
func copyTree(t *testing.T, to string) {
	t.Helper()
	skipped := []string{".git", "node_modules"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skipped, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), b, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// runIn runs a command of the page in the copy.
func runIn(t *testing.T, dir, command string) (string, error) {
	t.Helper()
	t.Log(command)
	fields := strings.Fields(command)
	cmd := exec.CommandContext(t.Context(), fields[0], fields[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// applyDiff makes the edits of a unified diff. It goes by the lines around an edit and not by their numbers, which move;
// what it replaces has to stand once in the file.
func applyDiff(root, diff string) error {
	var path string
	var old, edited bytes.Buffer
	isNew := false
	flush := func() error {
		if old.Len() == 0 && edited.Len() == 0 {
			return nil
		}
		defer old.Reset()
		defer edited.Reset()
		return replaceOnce(filepath.Join(root, path), old.String(), edited.String(), isNew)
	}
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "--- "):
			if err := flush(); err != nil {
				return err
			}
			isNew = strings.TrimSpace(line) == "--- /dev/null"
		case strings.HasPrefix(line, "+++ b/"):
			path = strings.TrimSpace(strings.TrimPrefix(line, "+++ b/"))
		case strings.HasPrefix(line, "@@"):
			if err := flush(); err != nil {
				return err
			}
		case strings.HasPrefix(line, "+"):
			edited.WriteString(line[1:])
		case strings.HasPrefix(line, "-"):
			old.WriteString(line[1:])
		case line == "\n" || strings.HasPrefix(line, " "):
			kept := strings.TrimPrefix(line, " ")
			old.WriteString(kept)
			edited.WriteString(kept)
		default:
			return fmt.Errorf("a diff has no line like %q", line)
		}
	}
	return flush()
}

func replaceOnce(path, old, edited string, isNew bool) error {
	if isNew {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there already: %v", path, err)
		}
		return os.WriteFile(path, []byte(edited), 0o644)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(b), old); n != 1 {
		return fmt.Errorf("%s: what the diff edits stands there %d times, want 1:\n%s", path, n, old)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(b), old, edited, 1)), 0o644)
}

// A page of docs/ links only to what is there.
func TestDocsLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	for _, page := range append(pages, "README.md") {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}
