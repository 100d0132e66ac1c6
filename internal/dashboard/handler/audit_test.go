// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// audit is what the log holds, newest first: of one action, or of any with "".
func (k *desk) audit(action string) []dash.AuditEntry {
	k.Helper()
	query := "?limit=200"
	if action != "" {
		query += "&action=" + action
	}
	return testkit.Decode[dash.AuditPage](k.T, k.ada.Call("GET", "/api/audit"+query, nil), 200).Entries
}

// Whoever lets somebody do something, or does it, stands in the log with what it was: once, and only if it happened.
func TestAudit(t *testing.T) {
	eachDesk(t, func(k *desk) {
		k.SignIn("ada@example.com")
		denied, sent := k.Ask(asking), k.Ask(asking)
		decide(k.ada, denied.PublicID, "deny", dash.RequestDenial{Digest: k.ada.See(denied).Digest, Note: new("No.")})
		decide(k.ada, sent.PublicID, "request-changes", dash.RequestRevision{Digest: k.ada.See(sent).Digest, Note: "Say more."})
		decide(k.ada, sent.PublicID, "deny", dash.RequestDenial{Digest: k.ada.See(sent).Digest}) // which does not take
		for _, verdict := range []string{"approve", "deny", "request-changes"} {
			id := askMore(k.T, k.agent, "boards.edit", "docs.edit").PublicID
			body := map[string]any{"digest": seeMore(k.T, k.ada, id).Digest}
			if verdict == "request-changes" {
				body["note"] = "Less."
			}
			k.ok(k.ada.Call("POST", morePath(id, "/"+verdict), body))
			if verdict == "approve" {
				k.agent = k.Agent(k.ada) // which does not hold it
			}
		}
		for range 2 {
			k.ok(k.ada.Call("DELETE", "/api/keys/"+k.agent.Me.Key.ID, nil))
		}
		entries := k.audit("")
		var got []string
		for _, e := range slices.Backward(entries) {
			got = append(got, fmt.Sprintf("%s %s %v %s", e.Action, e.Subject.Kind, e.Permissions, text(e.Note)))
			if e.By != k.ada.Me.Person || e.Address != "127.0.0.1" || len(e.ID) != 32 || e.Subject.ID == "" || e.Subject.Name == "" {
				k.Errorf("%+v", e)
			}
		}
		usual := "[cards.view cards.edit plans.view plans.edit docs.view]"
		want := []string{
			"team.set_up team [] ", "access.approved access_request " + usual + " ", "key.issued key " + usual + " ",
			"person.signed_in person [] ", "access.denied access_request [] No.", "access.sent_back access_request [] Say more.",
			"permission.approved permission_request [docs.edit boards.edit] ",
			"access.approved access_request " + usual + " ", "key.issued key " + usual + " ",
			"permission.denied permission_request [docs.edit boards.edit] ", "permission.sent_back permission_request [docs.edit boards.edit] Less.",
			"key.revoked key [] ",
		}
		// The clock stands still: what happens at one time stands in the order of the ids.
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			k.Errorf("(-want +got):\n%s", diff)
		}
		var paged []dash.AuditEntry
		for cursor := ""; ; {
			page := testkit.Decode[dash.AuditPage](k.T, k.ada.Call("GET", "/api/audit?limit=5"+cursor, nil), 200)
			paged = append(paged, page.Entries...)
			if page.NextCursor.IsNull() {
				break
			}
			cursor = "&cursor=" + page.NextCursor.MustGet()
		}
		if diff := cmp.Diff(entries, paged); diff != "" {
			k.Errorf("in pages (-want +got):\n%s", diff)
		}
		k.Clock.Advance(time.Second)
		k.SignIn("ada@example.com")
		if first := k.audit("")[0]; first.Action != dash.AuditActionPersonSignedIn || !first.At.Equal(k.Clock.Now()) {
			k.Errorf("the newest is %+v", first)
		}
		if got := k.audit("key.issued"); len(got) != 2 {
			k.Errorf("of one action: %+v", got)
		}
		if a := k.Nobody().Call("POST", "/api/auth/login", dash.Login{Email: "ada@example.com", Password: "a guess"}); a.Status != 401 || len(k.audit("person.signed_in")) != 2 {
			k.Errorf("%d; %+v", a.Status, k.audit("person.signed_in"))
		}
		for who, a := range map[string]testkit.Answer{
			"person_required": k.Agent(k.ada).Call("GET", "/api/audit", nil), "forbidden": k.Join("Bob", "cards.view").Call("GET", "/api/audit", nil),
		} {
			if a.Code() != who {
				k.Errorf("%d %s", a.Status, a.Body)
			}
		}
	})
}
