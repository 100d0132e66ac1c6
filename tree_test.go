// SPDX-License-Identifier: Apache-2.0

package platform_test

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/internal/testkit"
)

// goFiles are the hand-written Go files of the repository.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (p == "gen" || p != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_templ.go") {
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestLicenceLines(t *testing.T) {
	for _, p := range goFiles(t) {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b, []byte("// SPDX-License-Identifier: Apache-2.0\n")) {
			t.Errorf("%s: the first line is not the licence's", p)
		}
	}
}

func TestPackageComments(t *testing.T) {
	packages := map[string]bool{}
	for _, p := range goFiles(t) {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(p)
		packages[dir] = packages[dir] || regexp.MustCompile(`(?m)^// (Package|Command) \w`).Match(b)
	}
	for dir, has := range packages {
		if !has {
			t.Errorf("%s: no package comment says what lives there", dir)
		}
	}
}

// TestLongFiles holds hand-written files to one idea each. A file that is over on purpose stands here with its reason.
func TestLongFiles(t *testing.T) {
	allowed := map[string]string{}
	for _, p := range goFiles(t) {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(b, []byte("\n")); lines > 400 && allowed[filepath.ToSlash(p)] == "" {
			t.Errorf("%s has %d lines: is it one idea?", p, lines)
		}
	}
}

// TestLinked compares what each command links with the list beside it, so that no command grows a database driver or
// a browser by accident. Rewrite the lists with -update.
func TestLinked(t *testing.T) {
	commands, err := os.ReadDir("cmd")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		t.Run(c.Name(), func(t *testing.T) {
			var linked []string
			for pkg := range goList(t, "-deps", "./cmd/"+c.Name()) {
				if strings.Contains(strings.SplitN(pkg, "/", 2)[0], ".") || strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "gen/") {
					linked = append(linked, pkg)
				}
			}
			linked = slices.DeleteFunc(linked, func(p string) bool { return isStd(p) })
			slices.Sort(linked)
			testkit.Golden(t, filepath.Join("cmd", c.Name(), "deps.txt"), []byte(strings.Join(linked, "\n")+"\n"))
		})
	}
}

// isStd tells the standard library's internal/ packages from ours, whose module path is cut off.
func isStd(pkg string) bool {
	_, err := os.Stat(pkg)
	return strings.HasPrefix(pkg, "internal/") && errors.Is(err, fs.ErrNotExist)
}

// TestPins compares versions that have to be the same and that no build compares.
func TestPins(t *testing.T) {
	root, pins := requirements(t, "go.mod"), requirements(t, "tools/pins/go.mod")
	if root["github.com/a-h/templ"] != pins["github.com/a-h/templ"] {
		t.Errorf("templ's runtime is %s, its generator %s", root["github.com/a-h/templ"], pins["github.com/a-h/templ"])
	}
	for _, mod := range []string{"go.mod", "tools/pins/go.mod", "tools/lint/go.mod"} {
		b, err := os.ReadFile(mod)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"\nreplace", "\nexclude", "\ntoolchain"} {
			if bytes.Contains(b, []byte(word)) {
				t.Errorf("%s has a %s line: a build elsewhere would not be this one", mod, strings.TrimSpace(word))
			}
		}
	}
}

func requirements(t *testing.T, mod string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(s.Text()), "require "))
		if len(f) >= 2 && strings.HasPrefix(f[1], "v") {
			versions[f[0]] = f[1]
		}
	}
	return versions
}
