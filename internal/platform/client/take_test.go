// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

func serving(t *testing.T, known *secret.Known, answer http.HandlerFunc) (*client.Client, string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c, err := client.New(client.Options{Dashboard: server.URL, Version: "0.1.0", Limits: client.Limits{Body: 100}, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, server.URL
}

// TestTake: the body of a 2xx is handed over as it comes, whatever its length, and no other is.
func TestTake(t *testing.T) {
	key := "50a_" + strings.Repeat("k", 30)
	known := new(secret.Known)
	known.Add(secret.New(key))
	long := strings.Repeat("x", 70_000)
	status := 200
	c, url := serving(t, known, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, long+key)
	})
	call := func(take func(*client.Response, io.Reader) error) (*client.Response, error) {
		req, err := http.NewRequest(http.MethodGet, url+"/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Do(t.Context(), client.Call{Request: req, Take: take})
	}
	var got []byte
	resp, err := call(func(resp *client.Response, body io.Reader) (err error) {
		if resp.MediaType != "text/plain" || resp.Status != 200 || resp.Path != "/x" {
			t.Errorf("%+v", resp)
		}
		got, err = io.ReadAll(body)
		return err
	})
	if err != nil || string(got) != long+"[secret]" || len(resp.Body) != 0 {
		t.Errorf("%v, %d bytes, %v", resp, len(got), err)
	}
	own := errors.New("the disk is full")
	if _, err := call(func(*client.Response, io.Reader) error { return own }); !errors.Is(err, own) {
		t.Error(err)
	}
	status = 404
	if _, err := call(func(*client.Response, io.Reader) error { t.Error("taken"); return nil }); err == nil || !strings.Contains(err.Error(), "over 100 bytes") {
		t.Error(err)
	}
}

// TestTakeBreaksOff: a body that breaks off is a failure, whatever the taker makes of it.
func TestTakeBreaksOff(t *testing.T) {
	c, url := serving(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	})
	for _, ends := range []error{nil, errors.New("something of its own")} {
		req, err := http.NewRequest(http.MethodGet, url+"/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Do(t.Context(), client.Call{Request: req, Take: func(_ *client.Response, body io.Reader) error {
			_, _ = io.Copy(io.Discard, body)
			return ends
		}})
		if failed, ok := errors.AsType[*client.Failure](err); !ok || !strings.Contains(failed.Error(), "broke off after 4 bytes") {
			t.Error(err)
		}
	}
}

// TestStall: a call may take as long as something moves, and ends when nothing does.
func TestStall(t *testing.T) {
	const pause, stall = 30 * time.Millisecond, 250 * time.Millisecond
	quiet := make(chan struct{})
	t.Cleanup(func() { close(quiet) })
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-quiet:
		}
	}
	send := func(w http.ResponseWriter, text string) {
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		ok     bool
	}{
		{"slow, but moving", func(w http.ResponseWriter, _ *http.Request) {
			for range 20 {
				send(w, "x")
				wait(pause)
			}
		}, true},
		{"stands still in the answer", func(w http.ResponseWriter, r *http.Request) {
			send(w, "x")
			select {
			case <-quiet:
			case <-r.Context().Done():
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, url := serving(t, nil, tt.answer)
			req, err := http.NewRequest(http.MethodGet, url+"/x", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Do(t.Context(), client.Call{Request: req, Stall: stall, Limit: time.Millisecond, Take: func(_ *client.Response, body io.Reader) error {
				_, err := io.Copy(io.Discard, body)
				return err
			}})
			if failed, isFailure := errors.AsType[*client.Failure](err); (err == nil) != tt.ok || err != nil && (!isFailure || !strings.Contains(err.Error(), "nothing moved for 250ms") || failed.Unanswered()) {
				t.Error(err)
			}
		})
	}
	t.Run("nobody reads what is sent", func(t *testing.T) {
		c, url := serving(t, nil, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-quiet:
			case <-r.Context().Done():
			}
		})
		req, err := http.NewRequest(http.MethodPost, url+"/x", io.LimitReader(endless{}, 1<<30))
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = 1 << 30
		_, err = c.Do(t.Context(), client.Call{Request: req, Stall: stall})
		if failed, ok := errors.AsType[*client.Failure](err); !ok || !strings.Contains(err.Error(), "nothing moved") || failed.Unanswered() {
			t.Error(err)
		}
		quiet <- struct{}{} // the handler does not see that its client is gone
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestOwnBodyFails: a body that cannot be read is told as what it is, and not as the network's.
func TestOwnBodyFails(t *testing.T) {
	c, url := serving(t, nil, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	own := errors.New("the file changed")
	req, err := http.NewRequest(http.MethodPost, url+"/x", io.MultiReader(strings.NewReader("begin"), iotest.ErrReader(own)))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 100
	if _, err := c.Do(t.Context(), client.Call{Request: req}); !errors.Is(err, own) || err.Error() != "POST /x: the file changed" {
		t.Error(err)
	}
}
