// SPDX-License-Identifier: Apache-2.0

package gitstate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/internal/flatbread/gitstate"
	"github.com/fiftyarms/platform/internal/testkit"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository makes one with a commit of two files, on the branch work.
func repository(t *testing.T) string {
	t.Helper()
	testkit.Need(t, "git")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "work")
	git(t, dir, "config", "user.name", "Ada")
	git(t, dir, "config", "user.email", "ada@example.com")
	put(t, dir, "a.txt", "a")
	put(t, dir, "b.txt", "b")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "first")
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestState(t *testing.T) {
	dir := repository(t)
	head := git(t, dir, "rev-parse", "HEAD")
	put(t, dir, "a.txt", "changed")
	put(t, dir, "né w.txt", "new")
	git(t, dir, "rm", "-q", "--cached", "b.txt")
	want := gitstate.State{Branch: "work", Commit: head}
	index := filepath.Join(dir, ".git", "index")
	old := time.Unix(1, 0)
	if err := os.Chtimes(index, old, old); err != nil {
		t.Fatal(err)
	}
	got, ok, err := gitstate.Read(t.Context(), dir)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	want.Uncommitted = []string{"b.txt", "a.txt", "né w.txt"}
	if d := cmp.Diff(want.Branch+want.Commit, got.Branch+got.Commit); d != "" {
		t.Error(d)
	}
	for _, name := range want.Uncommitted {
		if !strings.Contains(strings.Join(got.Uncommitted, "\n"), name) {
			t.Errorf("%s is not among %q", name, got.Uncommitted)
		}
	}
	if info, err := os.Stat(index); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("the index was written (%v)", err)
	}
	git(t, dir, "checkout", "-q", "--detach", "-f")
	if got, _, err := gitstate.Read(t.Context(), dir); err != nil || got.Branch != "HEAD" || got.Commit != head {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhereThereIsNoRepository(t *testing.T) {
	testkit.Need(t, "git")
	file := filepath.Join(t.TempDir(), "file")
	put(t, filepath.Dir(file), "file", "")
	for _, dir := range []string{"", "/nowhere", file, t.TempDir()} {
		if got, ok, err := gitstate.Read(t.Context(), dir); ok || err != nil || got.Branch != "" {
			t.Errorf("%q: %+v, %v, %v", dir, got, ok, err)
		}
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "new")
	if got, ok, err := gitstate.Read(t.Context(), dir); err != nil || !ok || got.Branch != "new" || got.Commit != "" {
		t.Errorf("before the first commit: %+v, %v, %v", got, ok, err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, ok, err := gitstate.Read(t.Context(), dir); ok || err != nil {
		t.Errorf("without git: %v, %v", ok, err)
	}
}

// TestNothingOfTheRepositoryRuns: a log names a folder, and a folder's settings name programs.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	dir := repository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	put(t, filepath.Dir(evil), "evil", "#!/bin/sh\necho \"$0 $*\" >>'"+ran+"'\ncat\n")
	put(t, dir, ".gitattributes", "*.txt filter=evil diff=evil\n*.md filter=a=b\n")
	put(t, dir, "a.md", "A")
	git(t, dir, "add", "a.md")
	for name, value := range map[string]string{
		"filter.evil.clean": evil, "filter.evil.smudge": evil, "filter.evil.process": evil, "filter.evil.required": "true", "filter.a=b.clean": evil, "diff.evil.textconv": evil,
		"core.fsmonitor": evil, "core.pager": evil, "core.sshCommand": evil, "core.editor": evil, "diff.external": evil, "core.hooksPath": filepath.Dir(evil),
	} {
		git(t, dir, "config", name, value)
	}
	put(t, dir, "a.txt", "B")
	put(t, dir, "a.md", "B2")
	got, ok, err := gitstate.Read(t.Context(), dir)
	if err != nil || !ok || !strings.Contains(strings.Join(got.Uncommitted, " "), "a.txt") {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if said, err := os.ReadFile(ran); err == nil {
		t.Errorf("it ran:\n%s", said)
	}
}

// TestWhatIsNotThereIsNotFetched: of a repository that lacks objects git asks its remote for them, by programs that its settings
// name.
func TestWhatIsNotThereIsNotFetched(t *testing.T) {
	for name, remote := range map[string]map[string]string{
		"ssh":        {"remote.origin.url": "ssh://host/x", "core.sshCommand": "EVIL"},
		"uploadpack": {"remote.origin.url": "HERE", "remote.origin.uploadpack": "EVIL"},
		"ext":        {"remote.origin.url": "ext::EVIL %S", "protocol.ext.allow": "always"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := repository(t)
			ran := filepath.Join(t.TempDir(), "ran")
			evil := filepath.Join(t.TempDir(), "evil")
			put(t, filepath.Dir(evil), "evil", "#!/bin/sh\necho \"$0 $*\" >>'"+ran+"'\nexit 1\n")
			for key, value := range map[string]string{"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"} {
				git(t, dir, "config", key, value)
			}
			for key, value := range remote {
				git(t, dir, "config", key, strings.NewReplacer("EVIL", evil, "HERE", dir).Replace(value))
			}
			objects, err := filepath.Glob(filepath.Join(dir, ".git/objects/??/*"))
			if err != nil || len(objects) == 0 {
				t.Fatal(objects, err)
			}
			for _, object := range objects {
				if err := os.Remove(object); err != nil {
					t.Fatal(err)
				}
			}
			if _, ok, err := gitstate.Read(t.Context(), dir); ok || err == nil {
				t.Errorf("%v, %v", ok, err)
			}
			if said, err := os.ReadFile(ran); err == nil {
				t.Errorf("it ran:\n%s", said)
			}
		})
	}
}

// TestTheCallersRepositoryIsNoAnswer: a hook of git runs with variables that name its repository.
func TestTheCallersRepositoryIsNoAnswer(t *testing.T) {
	other, dir := repository(t), repository(t)
	git(t, dir, "checkout", "-q", "-b", "mine")
	put(t, dir, "new.txt", "")
	put(t, other, "theirs.txt", "")
	head := git(t, dir, "rev-parse", "HEAD")
	for name, value := range map[string]string{
		"GIT_DIR": filepath.Join(other, ".git"), "GIT_WORK_TREE": other, "GIT_INDEX_FILE": filepath.Join(other, ".git", "index"), "GIT_PREFIX": "sub/",
		"GIT_COMMON_DIR": filepath.Join(other, ".git"), "GIT_OBJECT_DIRECTORY": filepath.Join(other, ".git", "objects"), "GIT_NAMESPACE": "n",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.worktree", "GIT_CONFIG_VALUE_0": other, "GIT_CONFIG_PARAMETERS": "'status.showUntrackedFiles=no'",
		"GIT_TRACE": "2", "GIT_LITERAL_PATHSPECS": "1",
	} {
		t.Setenv(name, value)
	}
	got, ok, err := gitstate.Read(t.Context(), dir)
	want := gitstate.State{Branch: "mine", Commit: head, Uncommitted: []string{"new.txt"}}
	if d := cmp.Diff(want, got); d != "" || !ok || err != nil {
		t.Errorf("%v, %v\n%s", ok, err, d)
	}
}

// TestWhatGitCannotRead: the branch is known, and nothing is half known.
func TestWhatGitCannotRead(t *testing.T) {
	dir := repository(t)
	put(t, filepath.Join(dir, ".git"), "index", "no index")
	got, ok, err := gitstate.Read(t.Context(), dir)
	if d := cmp.Diff(gitstate.State{Branch: "work"}, got); d != "" || ok || err == nil || !strings.Contains(err.Error(), "index file") {
		t.Errorf("%v, %v\n%s", ok, err, d)
	}
}
