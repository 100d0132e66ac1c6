// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/keyfile"
	"github.com/fiftyarms/platform/internal/sse"
)

// cardSteps are the work itself: a board, a card on it, a gate that holds, and everybody who sees it happen.
func (w *world) cardSteps() []step {
	return []step{
		{"the person creates a board", w.createBoard},
		{"the agent's key follows it on the event stream", w.follow},
		{"the agent creates a card with an acceptance item", w.createCard},
		{"it starts the card", w.start},
		{"it tries to end the card, and the gate holds", w.gateHolds},
		{"it checks the item, and ends the card", w.end},
		{"its stream has brought all of that, in order", w.followed},
	}
}

func (w *world) createBoard(ctx context.Context) (string, error) {
	res, err := w.api.CreateBoardWithResponse(ctx, nil, dash.BoardCreate{Name: "Shop", Prefix: "SHOP"}, w.withCSRF)
	if err != nil {
		return "", err
	}
	if res.JSON201 == nil {
		return "", unexpected("POST /api/boards", res.HTTPResponse, res.Body)
	}
	w.board = res.JSON201.Ref
	return fmt.Sprintf("board %d, %s; its cards are called %s-1 and so on", w.board, res.JSON201.Name, res.JSON201.Prefix), nil
}

// follow opens the stream with the agent's key, as a program beside the agent would. It stays open over the steps.
func (w *world) follow(ctx context.Context) (string, error) {
	key, err := keyfile.At(filepath.Join(w.dir, configFolder), w.url, w.sessionID, time.Now).Load()
	if err != nil {
		return "", err
	}
	if key.IsZero() {
		return "", errors.New("the agent's key is not in its file")
	}
	path := fmt.Sprintf("/api/stream?topics=board:%d,key:self", w.board)
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, w.url+path, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+key.Reveal())
	res, err := w.streams.Do(req)
	if err != nil {
		return "", err
	}
	w.stream = res.Body
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return "", unexpected("GET "+path, res, body)
	}
	return "GET " + path, nil
}

// onBoard makes a call through platform-mcp on the demo's board, which has to be answered with a status, and reads
// what came.
func (w *world) onBoard(ctx context.Context, method mcptools.APIArgsMethod, path, body string, status int32, into any) error {
	res, err := w.callAPI(ctx, mcptools.APIArgs{Method: method, Path: path, Body: json.RawMessage(body), Board: fmt.Append(nil, w.board)})
	if err != nil {
		return err
	}
	if res.Status != status || res.Checked != nil {
		return fmt.Errorf("%s %s answered %d %s, want %d", method, path, res.Status, clip(res.Body), status)
	}
	return json.Unmarshal(res.Body, into)
}

func (w *world) createCard(ctx context.Context) (string, error) {
	const body = `{"title":"Mend the checkout","type":"Bug","status":"ToDo","acceptance":["A voucher lowers the total."]}`
	if err := w.onBoard(ctx, mcptools.APIArgsMethodPOST, "/api/issues", body, http.StatusCreated, &w.card); err != nil {
		return "", err
	}
	return fmt.Sprintf("POST /api/issues with board %d → %s %q in %s", w.board, w.card.ID, w.card.Title, w.card.Status), nil
}

// move moves the card. The version is the one that the agent saw last.
func (w *world) move(ctx context.Context, to dash.IssueStatus, status int32, into any) error {
	body := fmt.Sprintf(`{"version":%d,"status":%q}`, w.card.Version, to)
	return w.onBoard(ctx, mcptools.APIArgsMethodPOST, "/api/issues/"+w.card.ID+"/transition", body, status, into)
}

func (w *world) start(ctx context.Context) (string, error) {
	if err := w.move(ctx, dash.IssueStatusInProgress, http.StatusOK, &w.card); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is %s, version %d", w.card.ID, w.card.Status, w.card.Version), nil
}

func (w *world) gateHolds(ctx context.Context) (string, error) {
	var refusal dash.GateFailedRefusal
	if err := w.move(ctx, dash.IssueStatusDone, http.StatusConflict, &refusal); err != nil {
		return "", err
	}
	if string(refusal.Code) != refusal.RefusalCode() || refusal.FailedGate != dash.GateFailedRefusalFailedGateAcceptance || len(refusal.OpenItems) != 1 {
		return "", fmt.Errorf("want the acceptance gate, got %s: %s", refusal.FailedGate, refusal.Message)
	}
	w.item = refusal.OpenItems[0]
	return fmt.Sprintf("409 %s, %s: %s\nopen: %s\nnext: %s", refusal.Code, refusal.FailedGate, refusal.Message, w.item.Title, refusal.Next), nil
}

func (w *world) end(ctx context.Context) (string, error) {
	path := fmt.Sprintf("/api/issues/%s/acceptance/%d", w.card.ID, w.item.ID)
	if err := w.onBoard(ctx, mcptools.APIArgsMethodPATCH, path, fmt.Sprintf(`{"version":%d,"checked":true}`, w.item.Version), http.StatusOK, &w.item); err != nil {
		return "", err
	}
	if err := w.onBoard(ctx, mcptools.APIArgsMethodGET, "/api/issues/"+w.card.ID, "", http.StatusOK, &w.card); err != nil {
		return "", err
	}
	if err := w.move(ctx, dash.IssueStatusDone, http.StatusOK, &w.card); err != nil {
		return "", err
	}
	return fmt.Sprintf("%q is checked; %s is %s", w.item.Title, w.card.ID, w.card.Status), nil
}

func (w *world) followed(ctx context.Context) (string, error) {
	defer context.AfterFunc(ctx, func() { _ = w.stream.Close() })() // a stream that says nothing ends with the step
	want := []dash.EventKind{dash.EventKindIssueCreated, dash.EventKindIssueTransitioned, dash.EventKindIssueAcceptanceChanged, dash.EventKindIssueTransitioned}
	var got []dash.EventKind
	var saw []string
	for r := sse.NewReader(w.stream); len(got) < len(want); {
		frame, err := r.Next()
		if err != nil {
			return "", fmt.Errorf("after %v: %w", got, err)
		}
		var e dash.Event
		if err := json.Unmarshal(frame.Data, &e); err != nil {
			return "", fmt.Errorf("an event that is not JSON: %w", err)
		}
		got = append(got, e.Kind)
		saw = append(saw, told(e))
	}
	if !slices.Equal(got, want) {
		return "", fmt.Errorf("want the events %v, got %v", want, got)
	}
	return strings.Join(saw, "\n"), nil
}

// told is an event in a line.
func told(e dash.Event) string {
	line := fmt.Sprintf("%s  %s  by %s for %s", e.Cursor, e.Kind, e.By.Name, e.By.Person.Name)
	for _, c := range e.Changes {
		from, to := "", ""
		if c.From != nil {
			from = *c.From + " "
		}
		if c.To != nil {
			to = " " + *c.To
		}
		line += fmt.Sprintf("; %s: %s→%s", c.Field, from, to)
	}
	return line
}
