// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
)

const cardPath = "/boards/1/cards/SHOP-1"

var (
	marked   = url.Values{"csrf_token": {formMark}, "once": {"o-1"}, "version": {"2"}}
	editForm = url.Values{"csrf_token": {formMark}, "version": {"1"}, "title": {"Mend the till"}, "seen-title": {"x"}, "description": {"Typed."}, "seen-description": {"x"}}
)

func formOf(pairs ...string) url.Values {
	form := url.Values{}
	for name, values := range marked {
		form[name] = values
	}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// told is a card about which much was said and done.
func told(t *testing.T) *script {
	at := dash.At(now.Add(-time.Minute))
	event := func(cursor string, kind dash.EventKind, changes ...dash.Change) dash.Event {
		if changes == nil {
			changes = []dash.Change{}
		}
		return dash.Event{Cursor: cursor, Kind: kind, At: at, By: agentActor, Board: p(int64(1)), Issue: p("SHOP-1"), Changes: changes}
	}
	return workWith(full)(t).
		with("listComments", dash.CommentPage{
			Comments:   []dash.Comment{{ID: 1, Body: "The voucher is read **too late**.\n\n# Why\n\nhttps://x.example/a", By: agentActor, At: at}},
			NextCursor: nullable.NewNullableWithValue("c&2"),
		}).
		with("getDependencies", dash.Dependencies{Blocks: []dash.IssueLink{toolCard}}).
		with("listHistory", dash.EventPage{NextCursor: nullable.NewNullableWithValue("h&2"), Events: []dash.Event{
			event("40", "issue.transitioned", dash.Change{Field: "status", From: p("ToDo"), To: p("In Progress")}),
			event("39", "issue.transitioned", dash.Change{Field: "position"}),
			event("38", "issue.edited", dash.Change{Field: "title", From: p("Old"), To: p("New")}, dash.Change{Field: "description"}, dash.Change{Field: "parent_id", From: p("SHOP-9")}, dash.Change{Field: "effort", To: p("max")}),
			event("37", "issue.commented"), event("36", "issue.dependencies_changed"), event("35", "issue.conflicts_changed"),
			event("34", "issue.acceptance_changed"), event("33", "issue.attached"), event("32", "issue.gates_changed"), event("31", "issue.created"),
		}})
}

func posting(name, below string, form url.Values, op string, answer any, status int, says ...string) state {
	s := state{name: name, method: "POST", path: cardPath + below, form: form, api: work(op, answer), status: status, says: says}
	if status != 303 {
		s.title = "Error: SHOP-1 Mend the checkout · 50 Arms"
	}
	return s
}

const filePath = cardPath + "/files/9d4c5fb1a2c3d4e5f607183b0c4b1e2a"

var (
	tied     = url.Values{"csrf_token": {formMark}}
	keptFile = dash.AttachmentKept{Issue: cardOne(), Attachment: dash.Attachment{ID: publicID, Filename: "notes.md", ContentType: "text/plain", Bytes: 12, Sha256: digest, URL: "/api/x", By: adaActor, At: dash.At(now)}}
)

var cardStates = []state{
	{name: "card", api: working, path: cardPath, title: "SHOP-1 Mend the checkout · 50 Arms", says: []string{
		"SHOP-1 Mend the checkout", "ToDo", "Feature", "priority 3", "The total ignores the voucher.", "Edit the card", "Nothing is asked for yet", "It waits for no other card.",
		"It may be in progress together with any other card.", "None yet.", "Nobody has said anything yet."}, not: []string{"What keeps it", "Cards of this Epic"}},
	{name: "card with everything", api: told, path: cardPath, title: "SHOP-1 Mend the checkout · 50 Arms", says: []string{
		"Epic", "effort medium high", "assigned to Agent 1", "of SHOP-9", "What keeps it from going on",
		"Waits The price list is not there yet.SHOP-2 Read the price list ToDo", "Blocked The build is broken.", "Needs a human The account is yours.Open the console.Create a key.Said by Agent 1 (for Ada), 1 hour ago",
		"Conflict SHOP-3 Redo the basket In Progress Both rewrite basket.go.", "Open A voucher lowers the total.", "Checked Nothing else changes.", "Uncheck", "Cards of this Epic",
		"Agent 1 (for Ada), 1 minute ago", "too late", "https://x.example/a", "Later comments", "These wait for it", "TOOL-7 Sharpen the saw Done", "notes.md 12 bytes, text/plain; charset=utf-8, by Ada", "shot.png 117.2 KiB", "draw.svg 3.0 MiB",
		"moved it from ToDo to In Progress", "moved it within its column", "title: Old → New", "description", "parent: no longer SHOP-9", "effort: max", "commented", "changed what it waits for",
		"changed what it conflicts with", "changed what has to hold", "attached a file", "changed another card", "created the card", "What happened before"}},
	{name: "card, to look at", path: cardPath, title: "SHOP-1 Mend the checkout · 50 Arms", says: []string{"A voucher lowers the total."}, not: []string{"Edit the card", "Uncheck", "Remove", "Attach", "Let it wait"},
		api: func(t *testing.T) *script {
			return told(t).with("getPermissions", dash.Permissions{Permissions: []dash.Permission{"cards.view"}})
		}},
	{name: "card that says little", path: cardPath, title: "SHOP-1 Mend the checkout · 50 Arms", api: workWith(func(i *dash.Issue) { i.Description = nil; i.Type = "Epic" }),
		says: []string{"None yet.", "Cards of this Epic"}},
	{name: "card, later parts of its lists", api: told, path: cardPath + "?comments=a&history=b&children=c", title: "SHOP-1 Mend the checkout · 50 Arms", says: []string{"Back to the first comments"}},
	{name: "card that is not there", path: cardPath, status: 404, title: "There is nothing here · 50 Arms", api: work("getIssue", dash.NotFoundRefusal{Message: "no"})},
	{name: "card of what is no board", api: working, path: "/boards/x/cards/SHOP-1", status: 404, title: "There is nothing here · 50 Arms"},
	{name: "card by its id", api: working, path: "/cards/shop-1", status: 303},
	{name: "card of no board", api: working, path: "/cards/NONE-1", status: 404, title: "There is nothing here · 50 Arms"},
	{name: "card, signed out", path: cardPath, status: 303, api: work("getStreamCursor", dash.UnauthenticatedRefusal{Message: "no"})},
	{name: "a form of a card by a link", api: working, path: cardPath + "/acceptance/1/remove", status: 303},

	posting("edit a card", "/edit", editForm, "editIssue", cardOne(), 303),
	posting("edit a card and change nothing", "/edit", formOf(), "editIssue", nil, 303),
	posting("edit a card that has changed", "/edit", editForm, "editIssue", conflicting(dash.Current{Version: 3, Issue: p(cardOne())}), 409,
		"SHOP-1 has changed since this page was made.", "Now there is: Mend the checkout", "Typed.", "Now there is: The total ignores the **voucher**."),
	posting("edit a card without a title", "/edit", with(editForm, "title", ""), "editIssue", invalid("body", "/title", "must not be empty"), 400, "The title must not be empty.", "Typed."),
	posting("edit a card into a circle", "/edit", editForm, "editIssue", dash.DependencyCycleRefusal{Message: "SHOP-1 would wait for itself", Path: []dash.IssueID{"SHOP-1", "SHOP-2", "SHOP-1"}}, 409, "SHOP-1 waits for SHOP-2 waits for SHOP-1"),
	posting("edit a card with an agent that is gone", "/edit", editForm, "editIssue", dash.UnknownAgentRefusal{Message: "the team has no agent 7", AssignedAgent: 7}, 422, "The team has no agent 7."),
	posting("edit a card with a parent that is none", "/edit", editForm, "editIssue", dash.InvalidParentRefusal{Message: "only an Epic has children"}, 422, "Only an Epic has children."),
	{name: "edit a card with a priority that is none", method: "POST", path: cardPath + "/edit", form: formOf("priority", "high", "seen-priority", "x"), api: working, status: 400, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"The priority must be a number above 0 and below 6."}},
	{name: "edit a card with an agent that is none", method: "POST", path: cardPath + "/edit", form: formOf("agent", "Bob", "seen-agent", "x"), api: working, status: 400, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"The agent must be one of the list."}},

	posting("move a card on its page", "/move", formOf("status", "Done", "place", "top", "after", "", "from", "ToDo"), "transitionIssue", cardOne(), 303),
	posting("move a card on its page that waits", "/move", formOf("status", "Done", "place", "after", "after", "SHOP-2"), "transitionIssue", gateShut(), 409, "SHOP-1 waits for another card.", "End SHOP-2 first."),
	posting("add an item", "/acceptance", formOf("item", "It holds."), "addAcceptanceItem", dash.AcceptanceItem{ID: 3, Title: "It holds.", Version: 1}, 303),
	posting("add an empty item", "/acceptance", formOf("item", " "), "addAcceptanceItem", invalid("body", "/title", "must not be empty"), 400, "The item must not be empty."),
	posting("add an item too many", "/acceptance", formOf("item", "x"), "addAcceptanceItem", dash.LimitReachedRefusal{Message: "a card has at most 100 acceptance items", Limit: 100}, 409, "A card has at most 100 acceptance items."),
	posting("check an item", "/acceptance/1", formOf("checked", "true"), "editAcceptanceItem", dash.AcceptanceItem{ID: 1, Title: "x", Checked: true, Version: 2}, 303),
	posting("check an item that has changed", "/acceptance/1", formOf("checked", "true"), "editAcceptanceItem", dash.VersionConflictRefusal{Message: "for agents", Current: dash.Current{Version: 2, Item: &dash.AcceptanceItem{ID: 1, Title: "x", Version: 2}}}, 409, "The item has changed since this page was made."),
	posting("check an item that is gone", "/acceptance/1", formOf("checked", "true"), "editAcceptanceItem", dash.NotFoundRefusal{Message: "no"}, 404, "That is not there any more."),
	posting("check what is no item", "/acceptance/x", formOf("checked", "true"), "editAcceptanceItem", nil, 404, "That is not there any more."),
	posting("remove an item", "/acceptance/1/remove", formOf(), "removeAcceptanceItem", nil, 303),
	posting("remove an item that is gone", "/acceptance/1/remove", formOf(), "removeAcceptanceItem", dash.NotFoundRefusal{Message: "no"}, 303),
	posting("remove an item of a card that is Done", "/acceptance/1/remove", formOf(), "removeAcceptanceItem", dash.GateFailedRefusal{Message: "SHOP-1 is Done", FailedGate: "acceptance", Next: "open it first"}, 409, "SHOP-1 is Done."),
	posting("comment", "/comments", formOf("comment", "So be it."), "addComment", dash.Comment{ID: 1, Body: "So be it.", By: adaActor, At: dash.At(now)}, 303),
	posting("comment nothing", "/comments", formOf("comment", "  "), "addComment", invalid("body", "/body", "must not be empty"), 400, "The comment must not be empty."),
	posting("wait", "/waits", formOf("waits_for", "shop-2, SHOP-3", "waits_reason", "Because."), "setDependencies", cardOne(), 303),
	posting("wait for what is not there", "/waits", formOf("waits_for", "SHOP-99", "waits_reason", "Because."), "setDependencies", dash.UnknownIssuesRefusal{Message: "there is no card SHOP-99", Unknown: []dash.IssueID{"SHOP-99"}}, 422, "There is no card SHOP-99."),
	posting("wait for nothing", "/waits", formOf("waits_for", "", "waits_reason", "Because."), "setDependencies", invalid("body", "/by", "must hold at least one"), 400, "The cards to wait for must hold at least one."),
	posting("wait no longer", "/waits/clear", formOf(), "clearDependencies", nil, 303),
	posting("conflict", "/conflicts", formOf("other", "shop-3", "conflict_reason", "One file."), "setConflict", dash.ConflictList{Conflicts: []dash.Conflict{}}, 303),
	posting("conflict with nothing", "/conflicts", formOf("other", "", "conflict_reason", "One file."), "setConflict", nil, 400, "The other card must be named."),
	posting("conflict with what cannot be", "/conflicts", formOf("other", "x", "conflict_reason", "One file."), "setConflict", invalid("path", "other", "must match"), 400, "The other card must match."),
	posting("end a conflict", "/conflicts/SHOP-3/clear", formOf(), "clearConflict", nil, 303),

	{name: "attach a file", method: "POST", path: cardPath + "/files", form: marked, file: &upload{"notes.md", "hello world\n"}, status: 303,
		api: work("addAttachment", keptFile)},
	{name: "attach nothing", method: "POST", path: cardPath + "/files", form: marked, file: &upload{"", ""}, api: working, status: 400, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"Choose a file to attach."}},
	{name: "attach a file that is too large", method: "POST", path: cardPath + "/files", form: marked, file: &upload{"a", "b"}, status: 413, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"at most 1073741824 bytes"},
		api: work("addAttachment", dash.TooLargeRefusal{Message: "no", Limit: 1 << 30})},
	{name: "attach a file with a name that cannot be", method: "POST", path: cardPath + "/files", form: marked, file: &upload{"a", "b"}, status: 400, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"The file's name must be at most 200 characters long."},
		api: work("addAttachment", invalid("query", "filename", "must be at most 200 characters long"))},
	{name: "attach one file too many", method: "POST", path: cardPath + "/files", form: marked, file: &upload{"a", "b"}, status: 409, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"A card has at most 100 files."},
		api: work("addAttachment", dash.LimitReachedRefusal{Message: "a card has at most 100 files", Limit: 100})},
	{name: "replace a file", method: "POST", path: filePath + "/replace", form: tied, file: &upload{"new.md", "other\n"}, status: 303, api: work("replaceAttachment", keptFile)},
	{name: "replace a file by nothing", method: "POST", path: filePath + "/replace", form: tied, file: &upload{"", ""}, api: working, status: 400, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"Choose the file that takes the other's place."}},
	{name: "replace the cover by what is no image", method: "POST", path: filePath + "/replace", form: tied, file: &upload{"a", "b"}, status: 422, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"A looks like text."},
		api: work("replaceAttachment", dash.NotAnImageRefusal{Message: "a looks like text", ContentType: "text/plain"})},
	{name: "make a file the cover", method: "POST", path: filePath + "/cover", form: url.Values{"csrf_token": {formMark}, "cover": {"true"}}, status: 303, api: work("editAttachment", keptFile)},
	{name: "make the cover of what is gone", method: "POST", path: filePath + "/cover", form: tied, status: 404, title: "Error: SHOP-1 Mend the checkout · 50 Arms", says: []string{"That is not there any more."},
		api: work("editAttachment", dash.NotFoundRefusal{Message: "SHOP-1 has no such file"})},
	{name: "remove a file", method: "POST", path: filePath + "/remove", form: tied, status: 303, api: work("removeAttachment", nil)},
	{name: "remove a file that is gone", method: "POST", path: filePath + "/remove", form: tied, status: 303, api: work("removeAttachment", dash.NotFoundRefusal{Message: "gone"})},
	{name: "attach by what is no upload", method: "POST", path: cardPath + "/files", form: marked, api: working, status: 415, title: "That form cannot be used · 50 Arms"},
}
