// SPDX-License-Identifier: Apache-2.0

package mcpstdio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// stubbornReader neither closes nor takes a deadline.
type stubbornReader struct{ io.Reader }

// Serve returns although nothing can end the Read; its goroutine ends with it.
func TestReadThatCannotBeInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			synctest.Wait()
			cancel()
		}()
		start := time.Now()
		if err := mcpstdio.Serve(ctx, newServer(nil), stubbornReader{r}, io.Discard, mcpstdio.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("took %v", d)
		}
		if left := packageStacks(); strings.Count(left, "\n\n") != 0 || !strings.Contains(left, "Read") {
			t.Errorf("left: %s", left)
		}
		_, _ = io.WriteString(w, ping+"\n") // no one will answer
		checkLeaks(t)
	})
}

// A connection takes a deadline, and is left open.
func TestReadDeadlineIsUsed(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mcpstdio.Serve(ctx, newServer(nil), ours, ours, mcpstdio.Options{}) }()
	if _, err := io.WriteString(theirs, ping+"\n"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(pong))
	if _, err := io.ReadFull(theirs, got); err != nil || string(got) != pong {
		t.Fatalf("got %q, %v", got, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve returned %v", err)
	}
	checkLeaks(t)
	_ = ours.SetDeadline(time.Time{})
	go func() { _, _ = ours.Write([]byte("x")) }()
	if _, err := theirs.Read(got); err != nil {
		t.Errorf("the connection was closed: %v", err)
	}
}

// A client that does not read blocks the writer. Serve returns all the same,
// and so do the handlers that wait for the writer.
func TestClientThatDoesNotRead(t *testing.T) {
	for _, via := range []string{"notify", "mcp-go"} {
		t.Run(via, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inR, in := io.Pipe()
				out, outW := io.Pipe()
				ctx, cancel := context.WithCancel(context.Background())
				done := make(chan error, 1)
				srv := newServer(map[string]handler{"report": reporter(via)})
				go func() { done <- mcpstdio.Serve(ctx, srv, inR, outW, mcpstdio.Options{}) }()
				go func() { // the last thing that the client reads
					_, _ = out.Read(make([]byte, 1<<16))
				}()
				for _, line := range []string{initialize, call("1", "report", `{}`), call("2", "report", `{}`), call("3", "echo", `{}`)} {
					_, _ = io.WriteString(in, line+"\n")
				}
				synctest.Wait()
				start := time.Now()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("Serve returned %v", err)
				}
				if d := time.Since(start); d > time.Second {
					t.Errorf("took %v", d)
				}
				synctest.Wait()
				if left := packageStacks(); strings.Count(left, "\n\n") != 0 || !strings.Contains(left, "Write") {
					t.Errorf("left beside the one Write: %s", left)
				}
				// The Write comes back, and none follows.
				if n, err := out.Read(make([]byte, 1<<16)); n == 0 || err != nil {
					t.Errorf("read %d bytes, %v", n, err)
				}
				checkLeaks(t)
			})
		})
	}
}

// With a deadline not even the Write is left.
func TestWriteDeadlineIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- mcpstdio.Serve(ctx, newServer(nil), ours, ours, mcpstdio.Options{}) }()
		_, _ = io.WriteString(theirs, ping+"\n")
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve returned %v", err)
		}
		checkLeaks(t)
	})
}

// What mcp-go had queued when the input ended still goes out.
func TestQueuedNotificationsAreWrittenAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50
		srv := newServer(nil)
		c := serveUnread(t, srv, mcpstdio.Options{})
		go c.send(initialize)
		buf := make([]byte, 1<<16)
		_, _ = c.out.Read(buf)
		for range n {
			srv.SendNotificationToAllClients("notifications/x", nil)
		}
		_ = c.in.Close()
		synctest.Wait()
		all, err := io.ReadAll(c.out)
		if got := bytes.Count(all, []byte("notifications/x")); got != n || err != nil {
			t.Errorf("got %d of %d notifications, %v", got, n, err)
		}
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
}

// An end of the input that loses answers must not look like a good one.
func TestLostAnswersAreAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serveUnread(t, newServer(nil), mcpstdio.Options{})
		c.send(ping)
		_ = c.in.Close()
		start := time.Now()
		if err := c.wait(); err == nil || !strings.Contains(err.Error(), "does not read") {
			t.Errorf("Serve returned %v", err)
		}
		if d := time.Since(start); d != 6*time.Second {
			t.Errorf("took %v", d)
		}
	})
}
