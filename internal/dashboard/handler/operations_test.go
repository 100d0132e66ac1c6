// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard/handler"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestHealth(t *testing.T) {
	d := testkit.Dashboard(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		got := testkit.Decode[dash.Health](t, d.Nobody().Call("GET", path, nil), 200)
		if got.Status != dash.HealthStatusOk || got.Version != cli.Version {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if err := d.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if a := d.Nobody().Call("GET", "/healthz", nil); a.Status != 200 {
		t.Errorf("alive without a database: %d", a.Status)
	}
	if a := d.Nobody().Call("GET", "/readyz", nil); a.Code() != "not_ready" {
		t.Errorf("ready without a database: %d %s", a.Status, a.Body)
	}
}

// silent is a database that never answers.
type silent struct{ store.Store }

func (silent) Ping(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// A database that hangs does not hang the probe.
func TestReadinessIsPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handler.New(handler.Config{Store: silent{}, Draining: func() bool { return false }})
		began := time.Now()
		_, err := h.GetReadiness(t.Context(), dash.GetReadinessRequestObject{})
		if _, ok := err.(dash.NotReadyRefusal); !ok || time.Since(began) != 2*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
