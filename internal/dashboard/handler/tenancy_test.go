// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/testkit"
)

// hidden stands in every text of the team acme, and nowhere in what another team is told.
const hidden = "hidden-from-others"

// Nothing of one team is told to another, nor changed by it, whatever is called: neither while the other has nothing,
// nor while it has a board and cards of the same numbers.
func TestTeamsAreApart(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		k := newDesk(t, testkit.On(e))
		k.fill()
		zoe := k.otherTeam()
		agent := k.Agent(zoe, "cards.view", "cards.edit", "boards.edit")
		theirs, names := &desk{Running: k.Running, T: t, ada: zoe, agent: agent}, k.named()
		before := k.everything()
		tryAll := func(twins bool) {
			for _, op := range dash.Operations {
				switch {
				case op.Permission == dash.Public, op.Tag == "contract", op.ID == "logOut":
					continue // they are of no team
				case op.ID == "createBoard" && !twins, op.Stream && twins:
					continue // it would be their own board; it would not end
				}
				body := (&world{}).body(op)
				for _, as := range []*testkit.Caller{zoe, agent} {
					to, named := names(op)
					a := (&world{}).send(as, op, to, body)
					if refusal := a.Code(); named && refusal != "not_found" && refusal != "person_required" && refusal != "key_required" {
						t.Errorf("%s answers another team about %s: %d %s", op.ID, to, a.Status, a.Body)
					}
					for _, mine := range []string{hidden, k.ada.Me.Person.ID, "Ada", "acme", k.agent.Me.Key.ID} {
						if strings.Contains(string(a.Body), mine) {
							t.Errorf("%s tells another team %q: %.300s", op.ID, mine, a.Body)
						}
					}
					if names := lost.Replace(path(op)) != path(op); names && !twins && a.Code() != "not_found" {
						t.Errorf("%s answers another team %d %s", op.ID, a.Status, a.Body)
					}
				}
				if diff := cmp.Diff(before, k.everything()); diff != "" {
					t.Fatalf("%s changes another team (-before +after): %s", op.ID, diff)
				}
			}
		}
		tryAll(false)
		theirs.board("SHOP")
		theirs.card("Ours", "")
		theirs.card("Ours too", "")
		tryAll(true)
	})
}

// named makes of an operation the path of a call that names what acme has, if it names something by an id that cannot be
// guessed.
func (k *desk) named() func(op dash.Operation) (path string, named bool) {
	k.Helper()
	file := testkit.Decode[dash.AttachmentList](k.T, k.ada.Call("GET", "/api/issues/SHOP-1/attachments?board=1", nil), 200).Attachments[0]
	request := testkit.Decode[dash.AccessRequestPage](k.T, k.ada.Call("GET", "/api/access-requests?status=pending", nil), 200).Requests[0]
	more := testkit.Decode[dash.PermissionRequestPage](k.T, k.ada.Call("GET", "/api/permission-requests", nil), 200).Requests[0]
	image := testkit.Decode[dash.ImageUploaded](k.T, k.ada.Do(uploadImage(k.ada, "", picture(k.T, 2, 2, 255))), 201)
	ids := map[string]string{
		"issues": file.ID, "access": request.PublicID, "permissions": more.PublicID, "keys": k.agent.Me.Key.ID,
		"uploads": image.URL[strings.LastIndex(image.URL, "/")+1:],
	}
	return func(op dash.Operation) (string, bool) {
		of := path(op)
		return strings.Replace(of, nobody, ids[op.Tag], 1), strings.Contains(of, nobody)
	}
}

// fill gives the team acme something of everything.
func (k *desk) fill() {
	k.Helper()
	connect(k.T, k.agent, new(hidden))
	k.ok(k.ada.Call("POST", "/api/boards", dash.BoardCreate{Name: hidden, Prefix: "SHOP", Description: new(hidden)}))
	one := k.card(hidden, `"type":"Epic","description":"`+hidden+`","acceptance":["`+hidden+`"]`)
	two := k.card(hidden, `"parent_id":"SHOP-1"`)
	other := k.card(hidden, "")
	k.ok(k.wait(two, other))
	k.ok(k.agent.Call("PUT", at(one, "/conflicts/"+other.ID), dash.ConflictSet{Reason: hidden}))
	k.ok(k.agent.Call("POST", at(one, "/comments"), dash.CommentCreate{Body: hidden}))
	k.ok(k.edit(other, `"blocked":{"reason":"`+hidden+`"},"requires_human":{"reason":"`+hidden+`","steps":["`+hidden+`"]}`))
	r := k.agent.Request("POST", "/api/issues/SHOP-1/attachments?board=1&primary=true&filename="+hidden, picture(k.T, 2, 2, 255))
	r.Header.Set("Content-Type", "application/octet-stream")
	k.ok(k.agent.Do(r))
	k.Ask(dash.AccessRequestCreate{Title: new(hidden), Team: new("acme"), Client: asking.Client})
	k.ok(k.agent.Call("POST", "/api/permission-requests", dash.PermissionRequestCreate{Permissions: []string{"boards.edit"}, Reason: hidden}))
}

// otherTeam is Zoe, who holds everything in another team.
func (k *desk) otherTeam() *testkit.Caller {
	k.Helper()
	teams, ok := k.Store.(interface {
		AddTeam(context.Context, store.Team) error
	})
	if !ok {
		k.Fatal("the store adds no team")
	}
	ada, err := k.Store.PersonByEmail(k.Context(), "ada@example.com")
	if err != nil {
		k.Fatal(err)
	}
	team := store.Team{ID: strings.Repeat("f", 32), Slug: "other", Name: "Other", CreatedAt: k.Clock.Now()}
	if err := teams.AddTeam(k.Context(), team); err != nil {
		k.Fatal(err)
	}
	err = k.Store.AddPerson(k.Context(), store.Person{
		ID: access.Hash("zoe")[:32], TeamID: team.ID, Name: "Zoe", Email: "zoe@example.com", PasswordHash: ada.PasswordHash,
		Permissions: slices.Clone(dash.AllPermissions), CreatedAt: k.Clock.Now(),
	})
	if err != nil {
		k.Fatal(err)
	}
	return k.SignIn("zoe@example.com")
}

// everything is all that acme has, as its people see it.
func (k *desk) everything() []string {
	k.Helper()
	var out []string
	for _, path := range []string{
		"/api/boards", "/api/issues?fields=%7B%22description%22:true,%22acceptance%22:true,%22waiting_on%22:true,%22conflict_on%22:true,%22attachments%22:true%7D",
		"/api/issues/SHOP-1/comments?board=1", "/api/issues/SHOP-1/history?board=1", "/api/people", "/api/agents", "/api/keys",
		"/api/access-requests", "/api/permission-requests", "/api/audit",
	} {
		out = append(out, string(k.ok(k.direct(k.ada.Request("GET", path, nil))).Body))
	}
	head, err := k.Store.Of(k.teamID()).EventHead(k.Context())
	if err != nil {
		k.Fatal(err)
	}
	return append(out, fmt.Sprint(head))
}
