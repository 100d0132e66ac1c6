// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Report is told how many bytes of how many are on their way. It is called from one goroutine at a time, with ever more
// bytes, at most four times a second and once at the end.
type Report func(sent, total int64)

type reportKey struct{}

// WithReport gives the uploads of a context somebody to report to.
func WithReport(ctx context.Context, report Report) context.Context {
	return context.WithValue(ctx, reportKey{}, report)
}

// WithProgress has the uploads of a tool call reported to its client, if the client asked for it: as
// notifications/progress, whichever transport the call came over.
func WithProgress(ctx context.Context, req mcp.CallToolRequest) context.Context {
	srv := server.ServerFromContext(ctx)
	if srv == nil || req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return ctx
	}
	token := req.Params.Meta.ProgressToken
	return WithReport(ctx, func(sent, total int64) {
		// A client that does not read is told nothing, and its upload goes on.
		_ = srv.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": sent, "total": total,
		})
	})
}

// reportPace is how often progress is reported.
const reportPace = 250 * time.Millisecond

// meter counts what was sent, and reports it.
type meter struct {
	sent  atomic.Int64
	total int64
	told  int64
	tell  Report
	stop  chan struct{}
	ended sync.WaitGroup
}

// startMeter begins to report to whom the context names. The caller calls end.
func startMeter(ctx context.Context, total int64) *meter {
	m := &meter{total: total, told: -1, stop: make(chan struct{})}
	m.tell, _ = ctx.Value(reportKey{}).(Report)
	if m.tell == nil {
		return m
	}
	m.ended.Go(func() {
		tick := time.NewTicker(reportPace)
		defer tick.Stop()
		for {
			select {
			case <-m.stop:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				if sent := m.sent.Load(); sent < m.total { // all of it is said when it is kept
					m.report(sent)
				}
			}
		}
	})
	return m
}

func (m *meter) report(sent int64) {
	if m.tell != nil && sent > m.told { // a second try begins anew
		m.told = sent
		m.tell(sent, m.total)
	}
}

// end stops reporting. What was kept is reported whole.
func (m *meter) end(kept bool) {
	close(m.stop)
	m.ended.Wait()
	if kept {
		m.report(m.total)
	}
}
