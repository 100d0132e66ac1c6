// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressIsForPeople: a program that reads stderr gets nothing of it.
func TestProgressIsForPeople(t *testing.T) {
	t.Setenv("TERM", "xterm")
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer pipe.Close()
	for name, w := range map[string]io.Writer{"a buffer": &bytes.Buffer{}, "a file": file, "a pipe": pipe} {
		if NewProgress(w, "reading", 1).to != nil {
			t.Errorf("%s is shown progress", name)
		}
	}
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // is one of characters, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if NewProgress(device, "reading", 1).to == nil {
		t.Error("a terminal is not")
	}
	t.Setenv("TERM", "dumb")
	if NewProgress(device, "reading", 1).to != nil {
		t.Error("a terminal that knows no escapes is shown some")
	}
}

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name  string
		total int64
		want  string
	}{
		{"of a known size", 200e6, "\r\x1b[Kreading: 50 % of 200 MB\r\x1b[Kreading: 100 % of 200 MB\r\x1b[K"},
		{"of none", 0, "\r\x1b[Kreading: 100 MB\r\x1b[Kreading: 300 MB\r\x1b[K"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				p := &Progress{to: &out, what: "reading", total: c.total, start: time.Now()}
				p.Done(10e6)              // soon done, perhaps
				time.Sleep(progressAfter) // of the clock that the test has
				p.Done(100e6)
				p.Done(110e6)             // not that often
				time.Sleep(progressEvery) // of that too
				p.Done(300e6)             // a log that grew
				p.End()
				if out.String() != c.want {
					t.Errorf("%q, want %q", out.String(), c.want)
				}
			})
		})
	}
	var out bytes.Buffer
	p := &Progress{to: &out, start: time.Now()}
	p.Done(1)
	p.End()
	if out.Len() > 0 {
		t.Errorf("short work shows %q", out.String())
	}
}
