// SPDX-License-Identifier: Apache-2.0

package attach_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/attach"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/contract"
	"github.com/fiftyarms/platform/internal/platform/secret"
	"github.com/fiftyarms/platform/internal/platform/signin"
	"github.com/fiftyarms/platform/internal/platform/spill"
	"github.com/fiftyarms/platform/internal/platform/trio"
	"github.com/fiftyarms/platform/internal/testkit"
)

// TestWithDashboard: a file goes to the dashboard, is swapped for another, and comes back as it was.
func TestWithDashboard(t *testing.T) {
	running := testkit.Dashboard(t)
	ada := running.SetUp()
	testkit.Decode[dash.Board](t, ada.Call("POST", "/api/boards", dash.BoardCreate{Name: "Shop", Prefix: "SHOP"}), 201)
	testkit.Decode[dash.Issue](t, ada.Call("POST", "/api/issues", dash.IssueCreate{Board: new(dash.BoardRef(1)), Title: "Mend the checkout"}), 201)
	known := new(secret.Known)
	c, err := client.New(client.Options{Dashboard: running.URL, Version: "0.1.0", Known: known, Transport: http.DefaultTransport})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	session := signin.New(signin.Options{Client: c, Credential: secret.New(running.Agent(ada).Key), Now: time.Now, After: time.After, Log: slog.New(slog.DiscardHandler), Known: known})
	t.Cleanup(session.Close)
	files := attach.New(attach.Options{Session: session, Client: c, Random: rand.Reader})
	api := trio.New(trio.Options{Session: session, Client: c, Contract: contract.Document, Board: 1, Now: time.Now, Random: rand.Reader,
		Spill: spill.New(spill.Options{Parent: t.TempDir(), Now: time.Now, Random: rand.Reader})})

	first := write(t, "notes.txt", "first")
	made, err := files.AttachFile(t.Context(), mcptools.AttachFileArgs{CardID: new("SHOP-1"), Path: first})
	if err != nil || made.Ok != nil || made.AttachmentID == nil || !strings.Contains(string(made.Issue), "SHOP-1") {
		t.Fatalf("%+v, %s, %v", made, made.Body, err)
	}
	second := strings.Repeat("second\n", 300_000)
	swapped, err := files.AttachFile(t.Context(), mcptools.AttachFileArgs{CardID: new("SHOP-1"), Path: write(t, "b.txt", second), Replaces: made.AttachmentID})
	if err != nil || swapped.Ok != nil || *swapped.AttachmentID != *made.AttachmentID {
		t.Fatalf("%+v, %s, %v", swapped, swapped.Body, err)
	}
	path := fmt.Sprintf("/api/issues/SHOP-1/attachments/%s", *made.AttachmentID)
	back, err := api.API(t.Context(), mcptools.APIArgs{Method: mcptools.APIArgsMethodGET, Path: path})
	if err != nil || back.File == nil {
		t.Fatalf("%+v, %v", back, err)
	}
	if got, err := os.ReadFile(*back.File); err != nil || string(got) != second {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	listed, err := api.API(t.Context(), mcptools.APIArgs{Method: mcptools.APIArgsMethodGET, Path: "/api/issues/SHOP-1/attachments", Select: new(".attachments | map({filename, bytes})")})
	if want := fmt.Sprintf(`[{"bytes":%d,"filename":"notes.txt"}]`, len(second)); err != nil || string(listed.Body) != want || listed.Drift != nil {
		t.Errorf("%s, %v, %v; want %s", listed.Body, listed.Drift, err, want)
	}
	empty, err := files.AttachFile(t.Context(), mcptools.AttachFileArgs{CardID: new("SHOP-1"), Path: write(t, "empty.txt", "")})
	if err != nil || empty.AttachmentID == nil {
		t.Errorf("%+v, %s, %v", empty, empty.Body, err)
	}
	missing, err := files.AttachFile(t.Context(), mcptools.AttachFileArgs{CardID: new("SHOP-9"), Path: first})
	if err != nil || missing.Status == nil || *missing.Status != 404 || !json.Valid(missing.Body) {
		t.Errorf("%+v, %s, %v", missing, missing.Body, err)
	}
	other, err := files.AttachFile(t.Context(), mcptools.AttachFileArgs{CardID: new("SHOP-1"), Path: first, Replaces: new(strings.Repeat("0", 32))})
	if want := "GET /api/issues/SHOP-1/attachments lists them"; err != nil || other.Status == nil || *other.Status != 404 || len(other.Reminders) != 1 || !strings.Contains(other.Reminders[0], want) {
		t.Errorf("%+v, %s, %v", other, other.Body, err)
	}
}
