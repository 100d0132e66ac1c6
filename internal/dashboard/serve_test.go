// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// serving is a server on a real listener, and its end.
type serving struct {
	addr  string
	on    net.Listener
	stop  context.CancelFunc
	ended chan error
}

func serve(t *testing.T, s *dashboard.Server) *serving {
	t.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out := &serving{on.Addr().String(), on, stop, make(chan error, 1)}
	go func() { out.ended <- s.Serve(ctx, on) }()
	t.Cleanup(stop)
	return out
}

// gate is a database that answers keys only when it is let.
type gate struct {
	store.Store
	asked chan struct{}
	let   chan struct{}
}

func (g gate) ListKeys(ctx context.Context, q store.KeyQuery) ([]store.Key, error) {
	g.asked <- struct{}{}
	select {
	case <-g.let:
		return g.Store.ListKeys(ctx, q)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func gated(t *testing.T) (gate, *testkit.Running) {
	t.Helper()
	var g gate
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) {
		g = gate{cfg.Store, make(chan struct{}), make(chan struct{})}
		cfg.Store = g
	}))
	return g, d
}

// A server that is told to end says so to probes, lets the calls that run end, and takes no new ones.
func TestDrain(t *testing.T) {
	testkit.NoLeaks(t)
	g, d := gated(t)
	ada := d.SetUp()
	s := serve(t, d.Server)
	r := ada.Request("GET", "/api/keys", nil)
	r.URL.Host = s.addr
	answered := make(chan testkit.Answer, 1)
	go func() { answered <- ada.Do(r) }()
	<-g.asked
	if a := d.Nobody().Call("GET", "/readyz", nil); a.Status != 200 {
		t.Errorf("ready while serving: %d", a.Status)
	}
	s.stop()
	for ready := 200; ready == 200; { // until the server has noticed
		w := httptest.NewRecorder()
		d.Server.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		ready = w.Code
	}
	close(g.let)
	if a := <-answered; a.Status != 200 {
		t.Errorf("the call that ran: %d %s", a.Status, a.Body)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := net.Dial("tcp", s.addr); err == nil {
		t.Error("the port is still open")
	}
}

// While a load balancer may still send calls, they are answered, and the probe that it reads says not to send more.
func TestDrainDelay(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) { cfg.DrainDelay = time.Minute }))
	s := serve(t, d.Server)
	s.stop()
	get := func(path string) int {
		res, err := http.Get("http://" + s.addr + path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	for get("/readyz") != http.StatusServiceUnavailable { // until the server has noticed
		if t.Context().Err() != nil {
			t.Fatal("ready to the end")
		}
	}
	if status := get("/healthz"); status != 200 {
		t.Errorf("a call while draining: %d", status)
	}
	http.DefaultClient.CloseIdleConnections()
	s.on.Close() // or the test would wait for the minute
	if err := <-s.ended; err == nil {
		t.Error("ended without the delay or a fault")
	}
}

// A call that never ends does not keep the server from ending.
func TestDrainHasALimit(t *testing.T) {
	testkit.NoLeaks(t)
	g, d := gated(t)
	d.Server.Hurry(time.Minute, 10*time.Millisecond)
	ada := d.SetUp()
	s := serve(t, d.Server)
	r := ada.Request("GET", "/api/keys", nil)
	r.URL.Host = s.addr
	cut := make(chan error, 1)
	go func() {
		_, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		cut <- err
	}()
	<-g.asked
	s.stop()
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("ended with %v", err)
	}
	if err := <-cut; err == nil {
		t.Error("the call was answered")
	}
}

func TestServeOnAClosedListener(t *testing.T) {
	d := testkit.Dashboard(t)
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	on.Close()
	if err := d.Server.Serve(t.Context(), on); err == nil || !strings.Contains(err.Error(), on.Addr().String()) {
		t.Errorf("got %v", err)
	}
}

// Whoever sends slowly, or too much, is answered or cut off. The next caller is served.
func TestSlowCallers(t *testing.T) {
	testkit.NoLeaks(t)
	d := testkit.Dashboard(t)
	d.Server.Hurry(500*time.Millisecond, time.Second)
	s := serve(t, d.Server)
	dial := func(text string) *bufio.Reader {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, text)
		return bufio.NewReader(c)
	}
	const post = "POST /api/access-requests/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
	for name, tt := range map[string]struct {
		text   string
		status int // 0 is no answer
	}{
		"half a head":               {"GET /healthz HTTP/1.1\r\nHost:", 0},
		"half a body":               {fmt.Sprintf(post, 100, `{"secret":`), 400},
		"a body that is too large":  {fmt.Sprintf(post, 5<<20, `{"secret":`), 413},
		"a head that is too large":  {"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", 431},
		"a head that is none":       {"nonsense\r\n\r\n", 400},
		"a body on what takes none": {"POST /api/auth/logout HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n", 401},
	} {
		reader := dial(tt.text)
		response, err := http.ReadResponse(reader, nil)
		switch {
		case err != nil && tt.status != 0:
			t.Errorf("%s: %v", name, err)
		case err == nil && response.StatusCode != tt.status:
			t.Errorf("%s: %d", name, response.StatusCode)
		case err == nil:
			io.Copy(io.Discard, response.Body)
			if _, err := reader.ReadByte(); err != io.EOF && !strings.Contains(fmt.Sprint(err), "reset") {
				t.Errorf("%s: the connection stays open: %v", name, err)
			}
		}
	}
	r := d.Nobody().Request("GET", "/healthz", nil)
	r.URL.Host = s.addr
	if a := d.Nobody().Do(r); a.Status != 200 {
		t.Errorf("the next caller: %d", a.Status)
	}
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestPublicURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://dash.example.com": "https://dash.example.com", "http://127.0.0.1:5555/": "http://127.0.0.1:5555",
		"http://[::1]:5555": "http://[::1]:5555", "": "", "dash.example.com": "", "ftp://x": "", "https://": "",
		"https://x/prefix": "", "https://x?y=z": "", "https://x#y": "", "https://u:p@x": "", "http://x:port": "",
	} {
		u, err := dashboard.ParsePublicURL(text)
		if got := map[bool]string{true: fmt.Sprint(u)}[err == nil]; got != want {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), ":p@") {
			t.Errorf("the error tells a password: %v", err)
		}
	}
}

// The pages get every path that is not the API's, and call the API in this process.
func TestPages(t *testing.T) {
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) {
		cfg.Web = func(api http.Handler) (http.Handler, error) {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				rec := httptest.NewRecorder()
				in, _ := http.NewRequest("GET", "/healthz", nil) // no connection behind it
				api.ServeHTTP(rec, in)
				fmt.Fprintf(w, "page %s, API says %d", r.URL.Path, rec.Code)
			}), nil
		}
	}))
	for path, page := range map[string]bool{
		"/": true, "/signin": true, "/apiary": true, "/api": false, "/api/": false, "/api/auth/me": false, "/healthz": false, "/readyz": false,
	} {
		a := d.Nobody().Call("GET", path, nil)
		if got := string(a.Body) == "page "+path+", API says 200"; got != page {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	broken := func(http.Handler) (http.Handler, error) { return nil, fmt.Errorf("no pages today") }
	if _, err := dashboard.New(t.Context(), dashboard.Config{Store: d.Store, PublicURL: d.URL, Web: broken}); err == nil {
		t.Error("a server without the pages it should have was made")
	}
}
