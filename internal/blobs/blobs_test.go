// SPDX-License-Identifier: Apache-2.0

package blobs_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/fiftyarms/platform/internal/blobs"
)

var key = strings.Repeat("0a", 16) + "/" + strings.Repeat("1b", 16)

func open(t *testing.T) (store *blobs.Store, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "some where", "attachments")
	store, err := blobs.Open(t.Context(), blobs.FileURL(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store, dir
}

// files are all below dir that are no folder.
func files(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			found = append(found, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t *testing.T, s *blobs.Store, key string) string {
	t.Helper()
	r, size, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil || int64(len(b)) != size {
		t.Fatalf("%d bytes of %d, %v", len(b), size, err)
	}
	return string(b)
}

func TestPut(t *testing.T) {
	for name, content := range map[string]string{"some": "hello\x00<b>", "none": "", "much": strings.Repeat("0123456789", 100_000)} {
		t.Run(name, func(t *testing.T) {
			s, dir := open(t)
			n, sum, err := s.Put(t.Context(), key, iotest.HalfReader(strings.NewReader(content)))
			want := sha256.Sum256([]byte(content))
			if err != nil || n != int64(len(content)) || sum != hex.EncodeToString(want[:]) {
				t.Fatalf("%d bytes, %s, %v", n, sum, err)
			}
			if got := read(t, s, key); got != content {
				t.Errorf("%d bytes", len(got))
			}
			if got := files(t, dir); len(got) != 1 || got[0] != key {
				t.Errorf("files %q", got)
			}
			for path, mode := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, filepath.Dir(key)): 0o700, filepath.Join(dir, key): 0o600} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
					t.Errorf("%s: %v, %v", path, info.Mode(), err)
				}
			}
			if _, _, err := s.Put(t.Context(), key, strings.NewReader("another")); err == nil {
				t.Error("a blob was overwritten")
			}
			if got := files(t, dir); len(got) != 1 {
				t.Errorf("files %q", got)
			}
			if err := s.Delete(t.Context(), key); err != nil {
				t.Error(err)
			}
			if got := files(t, dir); len(got) != 0 {
				t.Errorf("files %q", got)
			}
		})
	}
}

// TestCut: what does not come whole leaves nothing.
func TestCut(t *testing.T) {
	cut := errors.New("the body ended early")
	half := func() io.Reader { return strings.NewReader(strings.Repeat("x", 200_000)) }
	for name, tt := range map[string]struct {
		reader func(cancel context.CancelFunc) io.Reader
		want   error
	}{
		"at once":  {func(context.CancelFunc) io.Reader { return iotest.ErrReader(cut) }, cut},
		"half-way": {func(context.CancelFunc) io.Reader { return io.MultiReader(half(), iotest.ErrReader(cut)) }, cut},
		"truncated": {func(context.CancelFunc) io.Reader {
			return io.MultiReader(half(), iotest.ErrReader(io.ErrUnexpectedEOF))
		}, io.ErrUnexpectedEOF},
		"given up": {func(cancel context.CancelFunc) io.Reader {
			return io.MultiReader(half(), readerFunc(func([]byte) (int, error) { cancel(); return 0, nil }), half())
		}, context.Canceled},
		"given up at the end": {func(cancel context.CancelFunc) io.Reader {
			return io.MultiReader(half(), readerFunc(func([]byte) (int, error) { cancel(); return 0, io.EOF }))
		}, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := open(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if _, _, err := s.Put(ctx, key, tt.reader(cancel)); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if got := files(t, dir); len(got) != 0 {
				t.Errorf("left %q", got)
			}
			if _, _, err := s.Open(t.Context(), key); !errors.Is(err, blobs.ErrNotFound) {
				t.Error(err)
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestMemory: a blob passes through little memory, however large it is.
func TestMemory(t *testing.T) {
	const size = 64 << 20
	s, _ := open(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, _, err := s.Put(t.Context(), key, io.LimitReader(zeros{}, size))
	runtime.ReadMemStats(&after)
	if err != nil || n != size {
		t.Fatal(n, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes were allocated for %d", used, size)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestMissing(t *testing.T) {
	s, _ := open(t)
	if _, _, err := s.Open(t.Context(), key); !errors.Is(err, blobs.ErrNotFound) {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), key); !errors.Is(err, blobs.ErrNotFound) {
		t.Error(err)
	}
}

func TestKeys(t *testing.T) {
	s, dir := open(t)
	team, id := key[:32], key[33:]
	for _, bad := range []string{"", id, team + "/", "/" + id, team + "/../" + id, "../" + team + "/" + id, team + "/" + id + "/" + id, strings.ToUpper(team) + "/" + id, team + "/" + id + "\n", team + "\\" + id, team + "/" + id[:31], key + ".", key + ".tmp", key + ".thumb/x", key + ".Thumb"} {
		_, _, put := s.Put(t.Context(), bad, strings.NewReader("x"))
		_, _, get := s.Open(t.Context(), bad)
		if put == nil || get == nil || errors.Is(get, blobs.ErrNotFound) || s.Delete(t.Context(), bad) == nil {
			t.Errorf("%q is taken: %v, %v", bad, put, get)
		}
	}
	if got := files(t, filepath.Dir(filepath.Dir(dir))); len(got) != 0 {
		t.Errorf("left %q", got)
	}
}

// What was made of a blob stands beside it, and is a blob of its own.
func TestBeside(t *testing.T) {
	s, dir := open(t)
	for _, k := range []string{key, key + ".thumb"} {
		if _, _, err := s.Put(t.Context(), k, strings.NewReader(k)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Error(err)
	}
	if got := files(t, dir); len(got) != 1 || read(t, s, key+".thumb") != key+".thumb" {
		t.Errorf("files %q", got)
	}
}

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", dir, "s3://bucket", "mem://", "file://", "file://host/a", "file:relative", "file://./a", "file:///a?metadata=", "file:///a#b", blobs.FileURL(file), blobs.FileURL(filepath.Join(file, "x"))} {
		if _, err := blobs.Open(t.Context(), bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestTogether: two stores on one place, and many writers, do not disturb one another.
func TestTogether(t *testing.T) {
	s, dir := open(t)
	other, err := blobs.Open(t.Context(), blobs.FileURL(dir))
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 16 {
		k := key[:32] + "/" + strings.Repeat("0", 31) + string("0123456789abcdef"[i])
		writers.Go(func() {
			if _, _, err := s.Put(t.Context(), k, strings.NewReader(k)); err != nil {
				t.Error(err)
			}
			if got := read(t, other, k); got != k {
				t.Errorf("%q holds %q", k, got)
			}
		})
	}
	writers.Wait()
	if got := files(t, dir); len(got) != 16 {
		t.Errorf("files %q", got)
	}
}

// What a killed process was writing is taken away once no other can still be writing it; blobs are not.
func TestOpenSweeps(t *testing.T) {
	s, dir := open(t)
	if _, _, err := s.Put(t.Context(), key, strings.NewReader("kept")); err != nil {
		t.Fatal(err)
	}
	team := filepath.Join(dir, filepath.Dir(filepath.FromSlash(key)))
	for name, age := range map[string]time.Duration{"old.tmp": 25 * time.Hour, "young.tmp": time.Hour, filepath.Base(key): 100 * time.Hour} {
		path := filepath.Join(team, name)
		if name != filepath.Base(key) {
			if err := os.WriteFile(path, []byte("part"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	again, err := blobs.Open(t.Context(), blobs.FileURL(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	want := []string{key, filepath.ToSlash(filepath.Join(filepath.Dir(key), "young.tmp"))}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("there is %q, want %q", got, want)
	}
}
