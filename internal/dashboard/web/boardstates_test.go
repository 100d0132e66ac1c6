// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
)

var (
	newBoardForm  = url.Values{"csrf_token": {formMark}, "once": {"o-1"}, "name": {"Shop"}, "prefix": {"SHOP"}, "repo": {"acme/shop"}, "description": {""}}
	editBoardForm = url.Values{"csrf_token": {formMark}, "version": {"2"}, "name": {"The shop"}, "seen-name": {"x"}, "repo": {""}, "seen-repo": {"x"}, "description": {"What customers see."}, "seen-description": {""}}
	newCardForm   = url.Values{"csrf_token": {formMark}, "once": {"o-1"}, "title": {"Mend the checkout"}, "type": {"Bug"}, "status": {"Review"}, "description": {"The total."}, "filter": {"q=mend&type=Bug"}}
	moveForm      = url.Values{"csrf_token": {formMark}, "card": {"SHOP-1"}, "version": {"2"}, "from": {"ToDo"}, "status": {"Done"}, "place": {"after"}, "after": {"shop-2"}, "filter": {"q=mend"}}
)

func gateShut() dash.GateFailedRefusal {
	return dash.GateFailedRefusal{
		Message: "SHOP-1 waits for another card", FailedGate: "waiting_on", Next: "end SHOP-2 first", Reason: p("The price list is not there yet."),
		WaitsFor: []dash.IssueLink{priceList},
	}
}

var boardStates = []state{
	{name: "boards, none yet", path: "/boards", title: "Boards · 50 Arms", says: []string{"Your team has no board yet", "New board"},
		api: work("listBoards", dash.BoardPage{Boards: []dash.Board{}, NextCursor: nullable.NewNullNullable[string]()})},
	{name: "boards", api: working, path: "/boards", title: "Boards · 50 Arms", says: []string{"Shop", "SHOP in acme/shop", "What customers see.", "ToDo1", "In Progress0"}, not: []string{"no board yet"}},
	{name: "boards, to look at", api: reading, path: "/boards", title: "Boards · 50 Arms", says: []string{"Shop"}, not: []string{"New board"}},
	{name: "boards, pages", path: "/boards?cursor=abc", title: "Boards · 50 Arms", says: []string{"Back to the first boards", "More boards"},
		api: work("listBoards", dash.BoardPage{Boards: []dash.Board{shop()}, NextCursor: nullable.NewNullableWithValue("a&b")})},
	{name: "boards, signed out", api: func(t *testing.T) *script {
		no := dash.UnauthenticatedRefusal{Message: "sign in first"}
		return signedOut(t).with("getStreamCursor", no)
	}, path: "/boards", status: 303},
	{name: "boards of a person who may see none", path: "/boards", status: 403, title: "You may not do this · 50 Arms", says: []string{"cards.view"},
		api: work("listBoards", dash.ForbiddenRefusal{Message: "no", Permission: "cards.view"})},
	{name: "create a board", method: "POST", path: "/boards", form: newBoardForm, status: 303, api: work("createBoard", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"ref":7}`)
	}))},
	{name: "create a board without a name", method: "POST", path: "/boards", form: with(newBoardForm, "name", " "), status: 400, title: "Error: Boards · 50 Arms", says: []string{"The name must not be empty.", "Shop"},
		api: work("createBoard", invalid("body", "/name", "must not be empty"))},
	{name: "create a board with what has no right form", method: "POST", path: "/boards", form: with(newBoardForm, "prefix", "1"), status: 400, title: "Error: Boards · 50 Arms",
		says: []string{"The prefix must be 2 to 10 capital letters and digits, a letter first."}, not: []string{"must match", "[A-Z]"},
		api: work("createBoard", invalid("body", "/prefix", "must match ^[A-Z][A-Z0-9]{1,9}$"))},
	{name: "move a card by a form that says no version", method: "POST", path: "/boards/1/move", form: with(moveForm, "version", ""), status: 400, title: "Error: Shop · 50 Arms",
		says: []string{"Reload the page and send it again."}, not: []string{"send the version"},
		api: work("transitionIssue", invalid("body", "/version", "is missing: send the version that was read"))},
	{name: "create a board with a prefix that is taken", method: "POST", path: "/boards", form: newBoardForm, status: 409, title: "Error: Boards · 50 Arms", says: []string{"Another board has the prefix SHOP.", "Choose another prefix"},
		api: work("createBoard", dash.PrefixTakenRefusal{Message: "another board has the prefix SHOP", Prefix: "SHOP"})},
	{name: "create another board by the same form", method: "POST", path: "/boards", form: newBoardForm, status: 409, title: "Error: Boards · 50 Arms", says: []string{"This form was sent before"},
		api: work("createBoard", dash.IdempotencyKeyReusedRefusal{Message: "no"})},
	{name: "create a board from another site", method: "POST", path: "/boards", form: newBoardForm, status: 403, title: "This came from another page · 50 Arms", says: []string{"Nothing was changed."},
		api: work("createBoard", dash.CrossSiteRefusal{Message: "no"})},

	{name: "board", api: working, path: "/boards/1", title: "Shop · 50 Arms", says: []string{
		"All boards", "Shop", "Edit the board", "Review 0", "ToDo 1", "In Progress 0", "Backlog 0", "Done 0", "Cancelled 0", "SHOP-1 Mend the checkout", "Feature", "priority 3", "No cards", "New card", "Move SHOP-1"}},
	{name: "board, a card with everything", api: workWith(full), path: "/boards/1", title: "Shop · 50 Arms", says: []string{
		"Epic", "priority 4.5", "effort medium high", "Agent 1", "Shut: WaitsBlockedNeeds a humanConflict"}},
	{name: "board, a card of an agent that is gone", api: workWith(func(i *dash.Issue) { i.AssignedAgent = p(int64(77)) }), path: "/boards/1", title: "Shop · 50 Arms", says: []string{"Agent 77"}},
	{name: "board, to look at", api: reading, path: "/boards/1", title: "Shop · 50 Arms", says: []string{"SHOP-1"}, not: []string{"New card", "Move", "Edit the board"}},
	{name: "board, filtered", api: working, path: "/boards/1?q=mend&type=Bug&agent=1&ready=true", title: "Shop · 50 Arms", says: []string{"ToDo 1", "Show all"}},
	{name: "board, filtered by what is no number", api: working, path: "/boards/1?agent=x", status: 400, title: "That does not work · 50 Arms", says: []string{"Agent must be the number of an agent."}},
	{name: "board, filtered by what is neither", api: working, path: "/boards/1?ready=perhaps", status: 400, title: "That does not work · 50 Arms", says: []string{"Ready must be true or false."}},
	{name: "board, filtered by a type that is none", path: "/boards/1?type=Idea", status: 400, title: "That does not work · 50 Arms", says: []string{"Type must be one of"},
		api: work("listIssues", invalid("query", "type", "must be one of Epic, Bug, Feature, Chore"))},
	{name: "board, more than fit", path: "/boards/1?q=x", title: "Shop · 50 Arms", says: []string{"More in ToDo", "ToDo 0+"},
		api: work("listIssues", dash.IssuePage{Issues: []dash.Issue{}, NextCursor: nullable.NewNullableWithValue("a&b")}), not: []string{"Back to the whole board"}},
	{name: "board, one column further on", api: working, path: "/boards/1?status=ToDo&cursor=abc&q=x", title: "Shop · 50 Arms", says: []string{"Back to the whole board", "SHOP-1"}, not: []string{"Review 0", "New card", "by hand"}},
	{name: "board, a column that is none", api: working, path: "/boards/1?status=Nowhere", status: 400, title: "That does not work · 50 Arms"},
	{name: "board that is not there", path: "/boards/9", status: 404, title: "There is nothing here · 50 Arms", api: work("getBoard", dash.NotFoundRefusal{Message: "no"})},
	{name: "board by what is no number", api: working, path: "/boards/shop", status: 404, title: "There is nothing here · 50 Arms"},

	{name: "create a card", method: "POST", path: "/boards/1/cards", form: newCardForm, status: 303, api: work("createIssue", cardOne())},
	{name: "create a card without a title", method: "POST", path: "/boards/1/cards", form: with(newCardForm, "title", ""), status: 400, title: "Error: Shop · 50 Arms", says: []string{"The title must not be empty.", "The total."},
		api: work("createIssue", invalid("body", "/title", "must not be empty"))},
	{name: "create a card that is Done at once", method: "POST", path: "/boards/1/cards", form: newCardForm, status: 409, title: "Error: Shop · 50 Arms", says: []string{"Nothing was changed", "SHOP-1 cannot be Done", "Check them first.", "A voucher lowers the total."},
		api: work("createIssue", dash.GateFailedRefusal{Message: "SHOP-1 cannot be Done", FailedGate: "acceptance", Next: "check them first", OpenItems: []dash.AcceptanceItem{{ID: 1, Title: "A voucher lowers the total.", Version: 1}}})},
	{name: "the form for a card by a link", api: working, path: "/boards/1/cards", status: 303},
	{name: "move a card", method: "POST", path: "/boards/1/move", form: moveForm, status: 303, api: work("transitionIssue", cardOne())},
	{name: "move a card that waits", method: "POST", path: "/boards/1/move", form: moveForm, status: 409, title: "Error: Shop · 50 Arms", says: []string{"SHOP-1 waits for another card.", "The price list is not there yet.", "SHOP-2 Read the price list", "End SHOP-2 first."},
		api: work("transitionIssue", gateShut())},
	{name: "move a card that a human has to free", method: "POST", path: "/boards/1/move", form: moveForm, status: 409, title: "Error: Shop · 50 Arms", says: []string{"Create a key.", "SHOP-3 Redo the basket", "TOOL-7"},
		api: work("transitionIssue", dash.GateFailedRefusal{Message: "no", FailedGate: "requires_human", Next: "do it", Steps: []string{"Create a key."}, ConflictsWith: []dash.IssueLink{basket}, NonTerminalPhases: []dash.IssueLink{priceList}, Parent: &toolCard})},
	{name: "move a card that has changed", method: "POST", path: "/boards/1/move", form: moveForm, status: 409, title: "Error: Shop · 50 Arms", says: []string{"SHOP-1 has changed since this page was made.", "Look at what is there now"},
		api: work("transitionIssue", conflicting(dash.Current{Version: 3, Issue: p(cardOne())}))},
	{name: "move a card after one that is not there", method: "POST", path: "/boards/1/move", form: moveForm, status: 422, title: "Error: Shop · 50 Arms", says: []string{"There is no card SHOP-2 in Done."},
		api: work("transitionIssue", dash.UnknownIssuesRefusal{Message: "there is no card SHOP-2 in Done", Unknown: []dash.IssueID{"SHOP-2"}})},
	{name: "move a card after what is no card", method: "POST", path: "/boards/1/move", form: with(moveForm, "after", "there"), status: 400, title: "Error: Shop · 50 Arms", says: []string{"The card to stand after must match."},
		api: work("transitionIssue", invalid("body", "/after", "must match"))},
	{name: "move a card to no place", method: "POST", path: "/boards/1/move", form: with(moveForm, "place", "aside"), api: working, status: 400, title: "Error: Shop · 50 Arms", says: []string{"The place must be the end, the top, or after a card."}},
	{name: "drop a card where it may not be", method: "POST", path: "/boards/1/move", form: with(moveForm, "hand", "yes"), status: 409, title: "Error: Shop · 50 Arms", says: []string{"SHOP-1 waits for another card."},
		api: work("transitionIssue", gateShut())},
	{name: "move a card that is no card", method: "POST", path: "/boards/1/move", form: with(moveForm, "card", "../x"), status: 404, title: "There is nothing here · 50 Arms",
		api: work("transitionIssue", invalid("path", "id", "must match"))},
	{name: "the form that moves by a link", api: working, path: "/boards/1/move", status: 303},
	{name: "move a card, signed out", method: "POST", path: "/boards/1/move", form: moveForm, status: 303, api: work("transitionIssue", dash.UnauthenticatedRefusal{Message: "no"})},

	{name: "edit a board", api: working, path: "/boards/1/edit", title: "Edit Shop · 50 Arms", says: []string{"Back to the board", "Edit Shop", "Save"}},
	{name: "save a board", method: "POST", path: "/boards/1/edit", form: editBoardForm, status: 303, api: work("editBoard", shop())},
	{name: "save a board that has changed", method: "POST", path: "/boards/1/edit", form: editBoardForm, status: 409, title: "Error: Edit Shop · 50 Arms", says: []string{"The board has changed since this page was made.", "Now there is: Shop", "Now there is: acme/shop"},
		api: work("editBoard", dash.VersionConflictRefusal{Message: "for agents", Current: dash.Current{Version: 3, Board: p(shop())}})},
	{name: "save a board without a name", method: "POST", path: "/boards/1/edit", form: with(editBoardForm, "name", ""), status: 400, title: "Error: Edit Shop · 50 Arms", says: []string{"The name must not be empty."},
		api: work("editBoard", invalid("body", "/name", "must not be empty"))},
	{name: "edit a board that is not there", path: "/boards/9/edit", status: 404, title: "There is nothing here · 50 Arms", api: work("getBoard", dash.NotFoundRefusal{Message: "no"})},
	{name: "edit what is no board", api: working, path: "/boards/x/edit", status: 404, title: "There is nothing here · 50 Arms"},
	{name: "save what one may not", method: "POST", path: "/boards/1/edit", form: editBoardForm, status: 403, title: "You may not do this · 50 Arms", api: work("editBoard", dash.ForbiddenRefusal{Message: "no", Permission: "boards.edit"})},
	{name: "a form that is too large for a board", method: "POST", path: "/boards/1/cards", form: url.Values{"title": {strings.Repeat("x", 3<<20)}}, api: working, status: 413, title: "That form cannot be used · 50 Arms"},
}
