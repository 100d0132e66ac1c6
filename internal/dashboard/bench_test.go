// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/testkit"
)

// What BenchmarkStreams promises to bear.
const (
	benchStreams = 1000
	benchBoards  = 40
	benchRate    = 500 // events a second
	benchLasts   = 15 * time.Second
	benchWriters = 16
)

// benchFile names the file in which the served dashboard says how to reach it.
const benchFile = "DASHBOARD_BENCH_FILE"

// bench is a dashboard in a process of its own.
type bench struct {
	Addr  string
	Keys  []string
	Cards []string // one on each board
}

// TestBenchServer is that process. It serves until its standard input ends. Run by others than BenchmarkStreams, it does
// nothing.
func TestBenchServer(t *testing.T) {
	file := os.Getenv(benchFile)
	if file == "" {
		return
	}
	d := testkit.Dashboard(t, testkit.With(func(cfg *dashboard.Config) {
		cfg.Now, cfg.Random, cfg.Log = nil, nil, slog.New(slog.DiscardHandler)
	}))
	ada := d.SetUp()
	var out bench
	for range benchStreams/stream.FollowersMost + 1 {
		out.Keys = append(out.Keys, d.Agent(ada).Key)
	}
	for i := range benchBoards {
		prefix := fmt.Sprintf("B%d", i+1)
		ada.Call("POST", "/api/boards", dash.BoardCreate{Name: prefix, Prefix: prefix})
		a := ada.Call("POST", fmt.Sprintf("/api/issues?board=%d", i+1), `{"title":"A card"}`)
		out.Cards = append(out.Cards, testkit.Decode[dash.Issue](t, a, 201).ID)
	}
	s := serve(t, d.Server)
	out.Addr = s.addr
	said, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".tmp", said, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".tmp", file); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	s.stop()
	<-s.ended
}

// BenchmarkStreams holds a thousand streams open over forty boards, each on one, while 500 comments a second are made
// through the API. It tells how long those calls and their events took, and what the server's process needed.
func BenchmarkStreams(b *testing.B) {
	for b.Loop() {
		at, pid, stop := startBench(b)
		var received atomic.Int64
		delays := make(chan time.Duration, 1<<16)
		ctx, cancel := context.WithCancel(b.Context())
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchWriters}}
		var readers sync.WaitGroup
		for i := range benchStreams {
			body := at.open(b, ctx, i)
			readers.Go(func() { follow(body, i < benchBoards, &received, delays) })
		}
		cpu, began := cpuOf(b, pid), time.Now()
		took := at.write(b, client)
		lasted := time.Since(began)
		cpu = cpuOf(b, pid) - cpu
		want := int64(len(took)) * benchStreams / benchBoards
		for late := time.Now().Add(10 * time.Second); received.Load() < want && time.Now().Before(late); {
			<-time.After(10 * time.Millisecond)
		}
		b.ReportMetric(float64(len(took))/lasted.Seconds(), "events/s")
		b.ReportMetric(float64(received.Load())/float64(want), "delivered")
		b.ReportMetric(ms99(took), "call-p99-ms")
		b.ReportMetric(100*cpu.Seconds()/lasted.Seconds(), "server-cpu-%")
		b.ReportMetric(memoryOf(b, pid), "server-peak-MB")
		cancel()
		readers.Wait()
		close(delays)
		var waits []time.Duration
		for d := range delays {
			waits = append(waits, d)
		}
		b.ReportMetric(ms99(waits), "event-p99-ms")
		stop()
	}
}

func startBench(b *testing.B) (at bench, pid int, stop func()) {
	file := filepath.Join(b.TempDir(), "bench.json")
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestBenchServer$")
	cmd.Env = append(os.Environ(), benchFile+"="+file)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for late := time.After(time.Minute); ; {
		raw, err := os.ReadFile(file)
		if err == nil {
			if err := json.Unmarshal(raw, &at); err != nil {
				b.Fatal(err)
			}
			break
		}
		select {
		case err := <-ended:
			b.Fatalf("the server ended: %v\n%s", err, &said)
		case <-late:
			b.Fatal("the server does not start")
		case <-time.After(10 * time.Millisecond):
		}
	}
	return at, cmd.Process.Pid, func() {
		in.Close()
		if err := <-ended; err != nil {
			b.Errorf("the server ended: %v\n%s", err, &said)
		}
	}
}

// open opens a stream on a connection of its own, whose client keeps little.
func (at bench) open(b *testing.B, ctx context.Context, i int) io.ReadCloser {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", at.Addr)
	if err != nil {
		b.Fatal(err)
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("http://%s/api/stream?topics=board:%d", at.Addr, i%benchBoards+1), nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+at.Keys[i/stream.FollowersMost])
	transport := &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }, DisableKeepAlives: true,
	}
	response, err := transport.RoundTrip(r)
	if err != nil || response.StatusCode != 200 {
		b.Fatalf("stream %d: %v %v", i, response, err)
	}
	return response.Body
}

// follow counts the frames of a stream. Of some streams it says how late each event is.
func follow(body io.ReadCloser, timed bool, received *atomic.Int64, delays chan<- time.Duration) {
	defer body.Close()
	for r := sse.NewReader(body); ; {
		f, err := r.Next()
		if err != nil {
			return
		}
		if timed {
			var e dash.Event
			if json.Unmarshal(f.Data, &e) == nil {
				select {
				case delays <- time.Since(e.At.Time):
				default:
				}
			}
		}
		received.Add(1)
	}
}

// write makes comments at the rate, and answers how long each took.
func (at bench) write(b *testing.B, client *http.Client) (took []time.Duration) {
	due := make(chan int, benchRate)
	var mu sync.Mutex
	var writers sync.WaitGroup
	for range benchWriters {
		writers.Go(func() {
			for n := range due {
				began := time.Now()
				if err := at.comment(client, n); err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	tick := time.NewTicker(time.Second / benchRate)
	defer tick.Stop()
	began := time.Now()
	for n := 0; time.Since(began) < benchLasts; {
		<-tick.C
		for ; n < int(time.Since(began).Seconds()*benchRate); n++ {
			select {
			case due <- n:
			default: // it is a second behind: the rate shows it
			}
		}
	}
	close(due)
	writers.Wait()
	return took
}

func (at bench) comment(client *http.Client, n int) error {
	board := n % benchBoards
	address := fmt.Sprintf("http://%s/api/issues/%s/comments?board=%d", at.Addr, at.Cards[board], board+1)
	r, err := http.NewRequest("POST", address, strings.NewReader(`{"body":"The voucher is read too late."}`))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+at.Keys[len(at.Keys)-1])
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != 201 {
		err = errors.Join(err, fmt.Errorf("%s %s", response.Status, body))
	}
	return err
}

// ms99 is what 99 of 100 are below, in milliseconds.
func ms99(d []time.Duration) float64 {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return float64(d[len(d)*99/100].Microseconds()) / 1000
}

// cpuOf is the time that a process has had of the processors.
func cpuOf(b *testing.B, pid int) time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("only Linux tells what a process needs")
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memoryOf is the most that a process has had resident, in megabytes.
func memoryOf(b *testing.B, pid int) float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	kb, _ := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kb) / 1024
}
