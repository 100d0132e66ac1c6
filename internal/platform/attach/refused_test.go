// SPDX-License-Identifier: Apache-2.0

//go:build unix

package attach_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// refuses expects the tool to refuse a file by name, with no upload.
func (d *dashboard) refuses(t *testing.T, path, says string) {
	t.Helper()
	begin := time.Now()
	answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, path))
	if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), filepath.Base(path)) || len(d.seen()) > 0 {
		t.Errorf("%s: %s, %v; want %q", path, answer, err, says)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("%s: took %v", path, took)
	}
}

// TestNoFiles: what is no plain file is refused by its name, and nothing is waited for.
func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	short, err := os.MkdirTemp("", "s") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	socket, err := net.Listen("unix", filepath.Join(short, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	if err := errors.Join(
		os.Mkdir(at("folder"), 0o700), syscall.Mkfifo(at("fifo"), 0o600), os.Symlink(at("loop"), at("loop")), os.Symlink(at("none"), at("dangling")),
		os.Symlink(at("fifo"), at("to-fifo")), os.WriteFile(at("secret"), []byte("x"), 0), os.WriteFile(at("file"), []byte("x"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	d := newDashboard(t, nil)
	for path, says := range map[string]string{
		at("folder"): "is a folder", dir + "/": "is a folder", at("fifo"): "a named pipe (FIFO)", at("to-fifo"): "a named pipe (FIFO)",
		filepath.Join(short, "sock"): "is a socket", "/dev/null": "lies in /dev", "/dev/zero": "lies in /dev", "/dev/stdin": "",
		at("none"): "there is no file", at("dangling"): "there is no file", at("file/below"): "there is no file", at("loop"): "cannot be read",
		"/proc/self/environ": "lies in /proc", "/sys/kernel/uevent_seqnum": "",
	} {
		if strings.HasPrefix(path, "/sys") || path == "/dev/stdin" {
			if _, err := os.Stat(path); err != nil {
				continue
			}
		}
		d.refuses(t, path, says)
	}
	if os.Geteuid() != 0 {
		d.refuses(t, at("secret"), "may not be read")
	}
}

// TestSecrets: what opens doors is refused, wherever it lies and whatever leads to it.
func TestSecrets(t *testing.T) {
	d := newDashboard(t, nil)
	home, config, elsewhere := d.options.Home, d.options.ConfigDir, t.TempDir()
	pem := "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3Bl\n"
	put := func(path, content string) string {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range []string{
		".ssh/config", ".ssh/work/id_work", ".aws/credentials", ".gnupg/pubring.kbx", ".config/gcloud/credentials.db", ".kube/config", ".docker/config.json",
		".netrc", ".npmrc", ".pypirc", ".git-credentials", ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".env", "shop/.env", "shop/.env.local", "prod.env",
		"server.pem", "server.key", "id_rsa", "id_ed25519", "store.p12", ".config/danxbot/session-keys/x/y.json", ".SSH/config", "etc/shadow", ".config/gh/hosts.yml",
	} {
		d.refuses(t, put(filepath.Join(home, name), "x"), "which are never sent")
		d.refuses(t, put(filepath.Join(elsewhere, name), "x"), "which are never sent")
	}
	d.refuses(t, put(filepath.Join(config, "danxbot", "notes.txt"), "x"), "this program's own keys")
	d.refuses(t, put(filepath.Join(elsewhere, "notes.txt"), "see:\n"+pem), "private key")
	d.refuses(t, put(filepath.Join(elsewhere, "late.txt"), strings.Repeat("x", 4000)+pem), "private key")

	link := filepath.Join(elsewhere, "harmless.png")
	if err := os.Symlink(filepath.Join(home, ".ssh", "config"), link); err != nil {
		t.Fatal(err)
	}
	d.refuses(t, link, "keys of SSH")
	folder := filepath.Join(elsewhere, "pictures")
	if err := os.Symlink(filepath.Join(home, ".ssh"), folder); err != nil {
		t.Fatal(err)
	}
	d.refuses(t, filepath.Join(folder, "config"), "keys of SSH")
	d.refuses(t, filepath.Join(home, ".ssh", "..", ".ssh", "config"), "keys of SSH")

	// A person's folder of keys that is a link to another place.
	vault := put(filepath.Join(t.TempDir(), "vault", "token"), "x")
	if err := os.RemoveAll(filepath.Join(home, ".aws")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(vault), filepath.Join(home, ".aws")); err != nil {
		t.Fatal(err)
	}
	d.refuses(t, vault, "credentials of a cloud")

	// A key of this program's under another name.
	key := put(filepath.Join(config, "danxbot", "session-keys", "a", "b.json"), "{}")
	hard := filepath.Join(t.TempDir(), "notes.json")
	if err := os.Link(key, hard); err == nil { // another file system has no such links
		d.refuses(t, hard, "this program's own key")
	}

	for _, name := range []string{".env.example", "id_ed25519.pub", "environment.txt", "key.txt", "pem.md", "ssh/config"} {
		path := put(filepath.Join(t.TempDir(), name), "x")
		if answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, path)); err != nil {
			t.Errorf("%s: %s, %v", name, answer, err)
		}
	}
}

// TestSwapped: a name that leads to a harmless file at one moment and to a secret at the next never sends the secret.
func TestSwapped(t *testing.T) {
	const secretText = "the secret that is never sent"
	d := newDashboard(t, nil)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	if err := errors.Join(
		os.MkdirAll(at("plain"), 0o700), os.MkdirAll(at(".ssh"), 0o700), os.WriteFile(at("plain/notes.txt"), []byte("harmless"), 0o600),
		os.WriteFile(at(".ssh/notes.txt"), []byte(secretText), 0o600), syscall.Mkfifo(at("fifo"), 0o600),
		os.Symlink(at("plain"), at("way")), os.Symlink(at("plain/notes.txt"), at("direct.txt")), os.WriteFile(at("real.txt"), []byte("harmless"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swap := func(name string, targets ...string) {
		swapping.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				next := at(fmt.Sprintf(".next-%s", filepath.Base(name)))
				_ = os.Remove(next)
				target := targets[i%len(targets)]
				if strings.HasPrefix(target, "=") {
					_ = os.WriteFile(next, []byte(target[1:]), 0o600)
				} else {
					_ = os.Symlink(at(target), next) // "/dev/zero" below the folder leads nowhere
				}
				_ = os.Rename(next, at(name))
			}
		})
	}
	swap("way", "plain", ".ssh")                                                 // a parent
	swap("direct.txt", "plain/notes.txt", ".ssh/notes.txt", "fifo", "/dev/zero") // the link itself
	swap("real.txt", "=harmless", ".ssh/notes.txt", "fifo")                      // a file that becomes a link
	sent, refused := 0, 0
	for begin := time.Now(); time.Since(begin) < 2*time.Second; {
		for _, path := range []string{at("way/notes.txt"), at("direct.txt"), at("real.txt")} {
			if _, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"}`, path)); err != nil {
				refused++
			} else {
				sent++
			}
		}
	}
	close(stop)
	swapping.Wait()
	for _, call := range d.seen() {
		if call.Sum == sum(secretText) || call.Sum != "" && call.Sum != sum("harmless") {
			t.Fatalf("sent %+v", call)
		}
	}
	t.Logf("%d sent, %d refused", sent, refused)
	if sent == 0 || refused == 0 {
		t.Errorf("%d sent, %d refused: nothing was swapped", sent, refused)
	}
}

// TestKinds: a file's bytes are what its name and its content_type say.
func TestKinds(t *testing.T) {
	const (
		jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF"
		gif  = "GIF89a\x01\x00"
		webp = "RIFF\x24\x00\x00\x00WEBPVP8 "
		avif = "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf"
		mif1 = "\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf"
		mp4  = "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2"
		pdf  = "%PDF-1.7\n"
		zip  = "PK\x03\x04\x14\x00"
		html = "<!DOCTYPE html><html>"
		page = "\xef\xbb\xbf <html><body>"
		deep = "<?xml version='1.0'?>\n<!DOCTYPE svg [<!ENTITY a \"<b>\">]>\n<!-- <html> -->\n<s:svg>"
	)
	for _, tt := range []struct {
		name, content, more string
		says                string // "" is sent
	}{
		{"a.png", png, "", ""}, {"a.jpg", jpeg, "", ""}, {"a.JPEG", jpeg, "", ""}, {"a.gif", gif, "", ""}, {"a.webp", webp, "", ""}, {"a.avif", avif, "", ""}, {"a.avif", mif1, "", ""},
		{"a.pdf", pdf, "", ""}, {"a.zip", zip, "", ""}, {"a.docx", zip, "", ""}, {"a.mp4", mp4, "", ""}, {"a.svg", svg, "", ""}, {"a.svg", deep, "", ""}, {"a.html", html, "", ""}, {"a.htm", page, "", ""},
		{"a.html", "<p>part", "", ""}, {"a.md", "# x", "", ""}, {"a.md", "<h1>x</h1>", "", ""}, {"a.txt", svg, "", ""}, {"a.json", "{}", "", ""}, {"a.txt", "caf\xe9", "", ""}, {"a.txt", "\xff\xfea\x00", "", ""},
		{"a", png, "", ""}, {"a.unknown", "\x00\x01", "", ""}, {"a.bin", "\x00\x01", "", ""}, {"a.xml", svg, "", ""}, {"empty.png", "", "", ""},
		{"a.svg", png, "", "a.svg is disguised: it ends in .svg, which is an SVG drawing, and holds a PNG image"},
		{"a.png", svg, "", "a.png is disguised: it ends in .png, which is a PNG image, and holds an SVG drawing"},
		{"a.png", deep, "", "holds an SVG drawing"}, {"a.png", html, "", "holds an HTML page"}, {"a.jpg", png, "", "disguised"}, {"a.txt", png, "", "disguised"}, {"a.md", zip, "", "disguised"},
		{"a.pdf", html, "", "disguised"}, {"a.html", svg, "", "disguised"}, {"a.svg", html, "", "disguised"}, {"a.json", "\x00", "", "bytes of no known kind"}, {"a.zip", "x", "", "disguised"},
		{"a.svg", "just text", "", "disguised"}, {"a.avif", mp4, "", "disguised"}, {"a.docx", pdf, "", "disguised"},
		{"a", png, `,"content_type":"image/png"`, ""}, {"a.txt", "x", `,"content_type":"text/plain; charset=utf-8"`, ""}, {"a.json", "{}", `,"content_type":"application/json"`, ""}, {"a.md", "x", `,"content_type":"text/markdown"`, ""},
		{"a.docx", zip, `,"content_type":"application/vnd.openxmlformats-officedocument.wordprocessingml.document"`, ""}, {"a.bin", "\x00", `,"content_type":"application/x-thing"`, ""}, {"a.png", png, `,"content_type":"application/octet-stream"`, ""},
		{"a.svg", svg, `,"content_type":"image/svg+xml"`, ""},
		{"a", svg, `,"content_type":"image/png"`, "meant to be image/png, and holds an SVG drawing"}, {"a", png, `,"content_type":"image/svg+xml"`, "holds a PNG image"}, {"a", "\x00", `,"content_type":"image/png"`, "no known kind"},
		{"a", "x", `,"content_type":"application/pdf"`, "holds text"}, {"a", png, `,"content_type":"text/plain"`, "holds a PNG image"}, {"a", "x", `,"content_type":"image/svg+xml"`, "holds text"}, {"a", html, `,"content_type":"image/svg+xml"`, "HTML"},
	} {
		d := newDashboard(t, nil)
		answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"card_id":"SHOP-1"%s}`, write(t, tt.name, tt.content), tt.more))
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) || err != nil && len(d.seen()) > 0 {
			t.Errorf("%s of %.20q%s: %s, %v; want %q", tt.name, tt.content, tt.more, answer, err, tt.says)
		}
	}
	for _, tt := range [][3]string{
		{"a.png", png, ""}, {"a.jpg", jpeg, ""}, {"a.gif", gif, ""}, {"a.webp", webp, ""}, {"a.avif", avif, ""}, {"a", png, ""},
		{"a.svg", svg, "holds an SVG drawing: an inline image is"}, {"a.png", svg, "holds an SVG drawing"}, {"a.txt", "x", "holds text"}, {"a.mp4", mp4, "film"}, {"a.png", "", "holds nothing"}, {"a.svg", png, "disguised"}, {"a.pdf", pdf, "a PDF document"},
	} {
		d := newDashboard(t, nil)
		answer, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"target":"inline_image"}`, write(t, tt[0], tt[1])))
		if (err == nil) != (tt[2] == "") || err != nil && !strings.Contains(err.Error(), tt[2]) || err != nil && len(d.seen()) > 0 {
			t.Errorf("inline %s of %.20q: %s, %v; want %q", tt[0], tt[1], answer, err, tt[2])
		}
	}
}

// TestTooLarge: a file's size is known before anything is sent.
func TestTooLarge(t *testing.T) {
	d := newDashboard(t, nil)
	image, file := write(t, "a.png", png), write(t, "a.bin", "\x00")
	if err := errors.Join(os.Truncate(image, 26_214_401), os.Truncate(file, 1<<30+1)); err != nil {
		t.Skip(err)
	}
	d.refuses(t, file, "at most 1073741824")
	if _, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"target":"inline_image"}`, image)); err == nil || !strings.Contains(err.Error(), "at most 26214400") || len(d.seen()) > 0 {
		t.Error(err)
	}
	if err := os.Truncate(image, 26_214_400); err != nil {
		t.Fatal(err)
	}
	if _, err := d.attach(t.Context(), fmt.Sprintf(`{"path":%q,"target":"inline_image"}`, image)); err != nil {
		t.Error(err)
	}
}
