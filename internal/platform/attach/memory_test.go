// SPDX-License-Identifier: Apache-2.0

package attach_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/attach"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/signin"
)

// The variables that make a process of this test the one that uploads.
const (
	uploadTo   = "TEST_ATTACH_DASHBOARD"
	uploadFile = "TEST_ATTACH_FILE"
)

// TestMemory uploads a large file in a process of its own, whose memory is measured: 256 MiB, or what TEST_ATTACH_BYTES
// says.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not say how much memory a process took")
	}
	size := int64(256 << 20)
	if text := os.Getenv("TEST_ATTACH_BYTES"); text != "" {
		var err error
		if size, err = strconv.ParseInt(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "large.bin")
	if err := os.WriteFile(path, []byte{0}, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil { // a file with a hole takes no room
		t.Skip(err)
	}
	var came int64
	dashboard := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/boards" {
			_, _ = io.WriteString(w, `{"boards":[{"ref":3,"prefix":"SHOP"}],"next_cursor":null}`)
			return
		}
		came, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(201)
		_, _ = io.WriteString(w, kept)
	}))
	defer dashboard.Close()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUploadAlone$", "-test.v")
	child.Env = append(os.Environ(), uploadTo+"="+dashboard.URL, uploadFile+"="+path)
	begin := time.Now()
	out, err := child.CombinedOutput()
	if err != nil || came != size {
		t.Fatalf("%d bytes came, %v\n%s", came, err, out)
	}
	peak := regexp.MustCompile(`from (\d+) to (\d+) kB`).FindSubmatch(out)
	if peak == nil {
		t.Fatalf("%s", out)
	}
	from, bad := strconv.Atoi(string(peak[1]))
	to, err := strconv.Atoi(string(peak[2]))
	if err := errors.Join(bad, err); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB in %v; the peak went from %d to %d kB", size>>20, time.Since(begin).Round(time.Millisecond), from, to)
	// What the process took before is the test's own: its binary is larger than the product's. The bench has that figure.
	if to-from > 12_000 && !raceEnabled {
		t.Errorf("took %d kB of memory more", to-from)
	}
}

// TestUploadAlone is the process that TestMemory measures.
func TestUploadAlone(t *testing.T) {
	url := os.Getenv(uploadTo)
	if url == "" {
		t.Skip("it is run by TestMemory")
	}
	known := new(secret.Known)
	c, err := client.New(client.Options{Dashboard: url, Version: "0.1.0", Known: known})
	if err != nil {
		t.Fatal(err)
	}
	session := signin.New(signin.Options{Client: c, Credential: secret.New("50a_" + rand.Text()), Now: time.Now, After: time.After, Log: slog.New(slog.DiscardHandler), Known: known})
	files := attach.New(attach.Options{Session: session, Client: c, Random: rand.Reader})
	before := peak(t)
	if _, err := files.AttachFile(t.Context(), mcptools.AttachFileArgs{CardID: new("SHOP-1"), Path: os.Getenv(uploadFile)}); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("from %s to %s kB\n", before, peak(t))
}

// peak is the most memory that this process has taken, in kB.
func peak(t *testing.T) string {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	return string(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)[1])
}
