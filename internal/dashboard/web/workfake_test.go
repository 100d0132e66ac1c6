// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
)

var (
	adaActor   = dash.Actor{Kind: "person", Name: "Ada", Person: ada}
	agentActor = dash.Actor{Kind: "agent", Name: "Agent 1", Person: ada}
)

// working is an API of a team with one board and one card on it.
func working(t *testing.T) *script {
	none := nullable.NewNullNullable[string]()
	return signedIn(t).
		with("getPermissions", dash.Permissions{Permissions: []dash.Permission{"cards.view", "cards.edit", "boards.edit"}}).
		with("getStreamCursor", dash.StreamCursor{Cursor: "41"}).
		with("listBoards", dash.BoardPage{Boards: []dash.Board{shop()}, NextCursor: none}).
		with("getBoard", shop()).
		with("listAgents", dash.AgentList{Agents: []dash.AgentRef{{ID: 1, Name: "Agent 1"}}}).
		with("listIssues", column("ToDo", cardOne())).
		with("getIssue", cardOne()).
		with("listComments", dash.CommentPage{Comments: []dash.Comment{}, NextCursor: none}).
		with("getDependencies", dash.Dependencies{Blocks: []dash.IssueLink{}}).
		with("listHistory", dash.EventPage{Events: []dash.Event{}, NextCursor: none})
}

// reading is working for a person who may only look.
func reading(t *testing.T) *script {
	return working(t).with("getPermissions", dash.Permissions{Permissions: []dash.Permission{"cards.view"}})
}

// work is working with another answer to an operation.
func work(op string, answer any) func(*testing.T) *script {
	return func(t *testing.T) *script { return working(t).with(op, answer) }
}

// workWith is working with a card that is changed.
func workWith(change func(*dash.Issue)) func(*testing.T) *script {
	return func(t *testing.T) *script {
		i := cardOne()
		change(&i)
		return working(t).with("getIssue", i).with("listIssues", column(i.Status, i))
	}
}

func shop() dash.Board {
	b := dash.Board{
		Ref: 1, Name: "Shop", Prefix: "SHOP", Description: p("What customers see."), Repo: p("acme/shop"), Version: 3,
		CreatedAt: dash.At(now.Add(-time.Hour)), UpdatedAt: dash.At(now.Add(-time.Hour)),
	}
	for _, s := range dash.AllIssueStatuses {
		b.Counts = append(b.Counts, dash.StatusCount{Status: s, Cards: 0})
	}
	b.Counts[1].Cards = 1
	return b
}

func cardOne() dash.Issue {
	return dash.Issue{
		ID: "SHOP-1", Board: 1, Type: "Feature", Status: "ToDo", Title: "Mend the checkout", Priority: 3, Gates: []dash.Gate{},
		DescriptionHash: "3f1b2b0b822c", Version: 2, CreatedAt: dash.At(now.Add(-2 * time.Hour)), UpdatedAt: dash.At(now.Add(-time.Hour)),
		Description: p("The total ignores the **voucher**."),
	}
}

var (
	priceList = dash.IssueLink{ID: "SHOP-2", Board: 1, Title: "Read the price list", Status: "ToDo"}
	basket    = dash.IssueLink{ID: "SHOP-3", Board: 1, Title: "Redo the basket", Status: "In Progress"}
	toolCard  = dash.IssueLink{ID: "TOOL-7", Board: 2, Title: "Sharpen the saw", Status: "Done"}
)

// full makes a card with everything on it.
func full(i *dash.Issue) {
	i.Type, i.Effort, i.AssignedAgent, i.Priority, i.ParentID = "Epic", p(dash.EffortMediumHigh), p(int64(1)), 4.5, p("SHOP-9")
	i.Gates = []dash.Gate{"waiting_on", "blocked", "requires_human", "conflict_on"}
	i.Blocked = &dash.Blocked{Reason: "The build is broken.", At: dash.At(now.Add(-time.Hour))}
	i.RequiresHuman = &dash.RequiresHuman{Reason: "The account is yours.", Steps: dash.HumanSteps{"Open the console.", "Create a key."}, SetBy: agentActor, SetAt: dash.At(now.Add(-time.Hour))}
	i.WaitingOn = &dash.WaitingOn{Reason: "The price list is not there yet.", By: []dash.IssueLink{priceList}}
	i.ConflictOn = []dash.Conflict{{Issue: basket, Reason: "Both rewrite basket.go."}, {Issue: toolCard, Reason: "One saw."}}
	i.Acceptance = []dash.AcceptanceItem{{ID: 1, Title: "A voucher lowers the total.", Version: 1}, {ID: 2, Title: "Nothing else changes.", Checked: true, Version: 4}}
	i.Attachments = []dash.Attachment{
		{ID: publicID, Filename: "notes.md", ContentType: "text/plain; charset=utf-8", Bytes: 12, Sha256: digest, URL: "/api/x", By: adaActor, At: dash.At(now.Add(-time.Hour))},
		{ID: strings.Repeat("a", 32), Filename: "shot.png", ContentType: "image/png", Bytes: 120_000, Sha256: digest, URL: "/api/x", By: agentActor, At: dash.At(now.Add(-time.Hour))},
		{ID: strings.Repeat("b", 32), Filename: "draw.svg", ContentType: "image/svg+xml", Bytes: 3 << 20, Sha256: digest, URL: "/api/x", By: agentActor, At: dash.At(now.Add(-time.Hour))},
	}
}

// column answers the cards of one status, and none for any other.
func column(status dash.IssueStatus, cards ...dash.Issue) func(*http.Request) any {
	return func(r *http.Request) any {
		page := dash.IssuePage{Issues: []dash.Issue{}, NextCursor: nullable.NewNullNullable[string]()}
		if asked := r.URL.Query().Get("status"); asked == "" || asked == string(status) {
			page.Issues = cards
		}
		return page
	}
}

func conflicting(current dash.Current) dash.VersionConflictRefusal {
	return dash.VersionConflictRefusal{Message: "SHOP-1 has changed since it was read", Current: current}
}

// upload is a file in a form.
type upload struct{ name, content string }

func (u upload) send(t *testing.T, api http.Handler, path string, form url.Values) shown {
	t.Helper()
	body, kind := u.encode(t, form)
	r := httptest.NewRequest("POST", path, bytes.NewReader(body))
	r.Header.Set("Content-Type", kind)
	return send(t, api, r)
}

func (u upload) encode(t *testing.T, form url.Values) (body []byte, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, values := range form {
		for _, value := range values {
			if err := w.WriteField(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	part, err := w.CreateFormFile("file", u.name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte(u.content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}
