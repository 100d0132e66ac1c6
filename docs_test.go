// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
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

const examplePage = "docs/changing-the-contract.md"

// The worked example of docs/changing-the-contract.md is done here as a reader does it: on a copy of the repository, the
// page's edits are made and its commands run, in the page's order. A command has to succeed, but for one whose fence says
// `fails`: that one has to fail, and to say what the page says it does.
func TestChangingTheContract(t *testing.T) {
	page, err := os.ReadFile(examplePage)
	if err != nil {
		t.Fatal(err)
	}
	blocks := fences(string(page))
	if len(blocks) == 0 {
		t.Fatal("the page has no fenced blocks")
	}
	for i, b := range blocks {
		if b.kind != "diff" {
			continue
		}
		if blocks[i].edits, err = editsOf(b.text); err != nil {
			t.Fatal(err)
		}
		for _, e := range blocks[i].edits {
			if !e.made(".") {
				continue
			}
			why := e.path + " holds an edit of " + examplePage + " already: the example can be tried only on a tree without it"
			if os.Getenv("CI") != "" {
				t.Fatal(why + "; if it is to stay, change the page's example")
			}
			t.Skip(why)
		}
	}
	clone := t.TempDir()
	copyTree(t, clone)
	for _, b := range blocks {
		switch b.kind {
		case "diff":
			for _, e := range b.edits {
				if err := e.make(clone); err != nil {
					t.Fatalf("%s no longer fits %s: change the page's diff: %v", examplePage, e.path, err)
				}
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

type fence struct {
	kind, text string
	edits      []edit // of a diff
}

// fences are the fenced blocks of a page in their order.
func fences(page string) (out []fence) {
	open := regexp.MustCompile("(?ms)^```([a-z ]+)\n(.*?)^```$")
	for _, m := range open.FindAllStringSubmatch(page, -1) {
		out = append(out, fence{kind: m[1], text: m[2]})
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

// An edit is one place of a unified diff.
type edit struct {
	path        string
	old, edited string
	isNew       bool // the whole file is
}

// editsOf reads a unified diff. It goes by the lines around an edit and not by their numbers, which move.
func editsOf(diff string) (edits []edit, err error) {
	var now edit
	flush := func() {
		if now.old != "" || now.edited != "" {
			edits = append(edits, now)
		}
		now.old, now.edited = "", ""
	}
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "--- "):
			flush()
			now.isNew = strings.TrimSpace(line) == "--- /dev/null"
		case strings.HasPrefix(line, "+++ b/"):
			now.path = strings.TrimSpace(strings.TrimPrefix(line, "+++ b/"))
		case strings.HasPrefix(line, "@@"):
			flush()
		case strings.HasPrefix(line, "+"):
			now.edited += line[1:]
		case strings.HasPrefix(line, "-"):
			now.old += line[1:]
		case line == "\n" || strings.HasPrefix(line, " "):
			kept := strings.TrimPrefix(line, " ")
			now.old += kept
			now.edited += kept
		default:
			return nil, fmt.Errorf("a diff has no line like %q", line)
		}
	}
	flush()
	return edits, nil
}

// made tells whether the edit is there already.
func (e edit) made(root string) bool {
	b, err := os.ReadFile(filepath.Join(root, e.path))
	return err == nil && (e.isNew || strings.Contains(string(b), e.edited))
}

// make makes the edit. What it replaces has to stand once in the file.
func (e edit) make(root string) error {
	path := filepath.Join(root, e.path)
	if e.isNew {
		return os.WriteFile(path, []byte(e.edited), 0o644)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(b), e.old); n != 1 {
		return fmt.Errorf("what it edits stands there %d times, want 1:\n%s", n, e.old)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(b), e.old, e.edited, 1)), 0o644)
}

// An edit that is made is seen, and one that fits nowhere is an error.
func TestAnEditOfThePage(t *testing.T) {
	root := t.TempDir()
	edits, err := editsOf("--- a/x\n+++ b/x\n@@\n one\n-two\n+2\n@@\n last\n+more\n--- /dev/null\n+++ b/y\n@@\n+new\n")
	if err != nil || len(edits) != 3 {
		t.Fatal(edits, err)
	}
	if err := edits[0].make(root); err == nil {
		t.Error("edited a file that is not there")
	}
	if err := os.WriteFile(filepath.Join(root, "x"), []byte("one\ntwo\nlast\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		if e.made(root) {
			t.Errorf("%+v is made before it is", e)
		}
		if err := e.make(root); err != nil || !e.made(root) {
			t.Errorf("%+v is not made: %v", e, err)
		}
	}
	if err := edits[0].make(root); err == nil {
		t.Error("edited what is not there")
	}
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
