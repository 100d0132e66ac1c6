// SPDX-License-Identifier: Apache-2.0

package card

import (
	"errors"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	where "github.com/fiftyarms/platform/internal/dashboard/web/place"
	"github.com/fiftyarms/platform/internal/dashboard/web/refused"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// change takes the form of a section: it reads the named texts, makes the change, and leads back to the section. Where
// the API made none, it shows the card as it stands, with the reason and with what the person had typed. fields say
// where on the page the parts of the call are filled in.
func change(v *visit.Visit, section string, names []string, send func(at place, typed map[string]string) error, fields map[string]visit.Field) error {
	at, err := address(v)
	if err != nil {
		return err
	}
	v.Here = at.path()
	typed := map[string]string{}
	for _, name := range names {
		typed[name] = strings.TrimSpace(v.Field(name))
	}
	return changed(v, at, send(at, typed), Page{Draft: Draft{Form: section, Text: typed}}, fields)
}

func changed(v *visit.Visit, at place, err error, page Page, fields map[string]visit.Field) error {
	switch refusal, _ := errors.AsType[dash.Refusal](err); r := refusal.(type) {
	case dash.InvalidRequestRefusal:
		page.Problems = visit.Problems(r, fields)
		return show(v, r.RefusalStatus(), page)
	case dash.NotFoundRefusal: // if it is the card itself, the page says so
		page.Refused = refused.Refusal{Text: "That is not there any more.", Next: "Somebody else took it away meanwhile."}
		return show(v, r.RefusalStatus(), page)
	}
	if r, ok := refused.Explain(err); ok {
		page.Refused = r
		return show(v, r.Status, page)
	}
	if err != nil {
		return err
	}
	return v.Go(at.path() + "#" + page.Draft.Form)
}

// Move moves the card to a column and a place in it.
func Move(v *visit.Visit) error {
	to := where.Of(v)
	return change(v, moveID, []string{"status", "place", "after"}, func(at place, _ map[string]string) error {
		return to.Send(v, at.board, at.id)
	}, where.Fields("move"))
}

func (p *Page) moveFields(i dash.Issue) []layout.Field {
	to := where.Place{Status: i.Status, Where: where.End}
	if p.Draft.in(moveID) {
		to = where.Place{Status: dash.IssueStatus(p.Draft.Text["status"]), Where: p.Draft.Text["place"], After: p.Draft.Text["after"]}
	}
	return to.Fields("move", p.Problems)
}

// AddItem adds what has to hold before the card is Done.
func AddItem(v *visit.Visit) error {
	return change(v, acceptanceID, []string{"item"}, func(at place, typed map[string]string) error {
		once := v.Field("once")
		_, err := apiclient.Check(v.API.AddAcceptanceItemWithResponse(v.R.Context(), at.id,
			&dash.AddAcceptanceItemParams{Board: at.board, IdempotencyKey: &once}, dash.AcceptanceItemCreate{Title: typed["item"]}))
		return err
	}, map[string]visit.Field{"/title": {ID: "item", Label: "The item"}})
}

// CheckItem checks an item, or unchecks it.
func CheckItem(v *visit.Visit) error {
	return change(v, acceptanceID, nil, func(at place, _ map[string]string) error {
		item, err := itemID(v)
		if err != nil {
			return err
		}
		checked := v.Field("checked") == "true"
		edit := dash.AcceptanceItemEdit{Checked: &checked}
		if version, err := strconv.ParseInt(v.Field("version"), 10, 64); err == nil {
			edit.Version = &version
		}
		_, err = apiclient.Check(v.API.EditAcceptanceItemWithResponse(v.R.Context(), at.id, item, &dash.EditAcceptanceItemParams{Board: at.board}, edit))
		return err
	}, nil)
}

// RemoveItem takes an item away. That it is gone already is what was wanted.
func RemoveItem(v *visit.Visit) error {
	return change(v, acceptanceID, nil, func(at place, _ map[string]string) error {
		item, err := itemID(v)
		if err != nil {
			return err
		}
		_, err = apiclient.Check(v.API.RemoveAcceptanceItemWithResponse(v.R.Context(), at.id, item, &dash.RemoveAcceptanceItemParams{Board: at.board}))
		return ended(err)
	}, nil)
}

func itemID(v *visit.Visit) (int64, error) {
	item, err := strconv.ParseInt(v.R.PathValue("item"), 10, 64)
	if err != nil {
		return 0, dash.NotFoundRefusal{Message: "an item has a number"}
	}
	return item, nil
}

// ended takes it for success that what was to end has ended already.
func ended(err error) error {
	if _, gone := errors.AsType[dash.NotFoundRefusal](err); gone {
		return nil
	}
	return err
}

func (p Page) itemField() layout.Field {
	return layout.Field{Name: "item", Label: "What else has to hold?", Type: "text", MaxLength: 300, Value: p.Draft.Text["item"], Problem: layout.For(p.Problems, "item")}
}

// SetWaits says which cards the card waits for.
func SetWaits(v *visit.Visit) error {
	return change(v, waitsID, []string{"waits_for", "waits_reason"}, func(at place, typed map[string]string) error {
		set := dash.DependenciesSet{Reason: typed["waits_reason"], By: ids(typed["waits_for"])}
		if version, err := strconv.ParseInt(v.Field("version"), 10, 64); err == nil {
			set.Version = &version
		}
		_, err := apiclient.Check(v.API.SetDependenciesWithResponse(v.R.Context(), at.id, &dash.SetDependenciesParams{Board: at.board}, set))
		return err
	}, map[string]visit.Field{"/by": {ID: "waits_for", Label: "The cards to wait for"}, "/reason": {ID: "waits_reason", Label: "The reason"}})
}

// ids are the cards that a person named, with anything but letters, digits and dashes between them.
func ids(typed string) []dash.IssueID {
	return append([]dash.IssueID{}, strings.FieldsFunc(strings.ToUpper(typed), func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z')
	})...)
}

// ClearWaits lets the card wait for no other.
func ClearWaits(v *visit.Visit) error {
	return change(v, waitsID, nil, func(at place, _ map[string]string) error {
		_, err := apiclient.Check(v.API.ClearDependenciesWithResponse(v.R.Context(), at.id, &dash.ClearDependenciesParams{Board: at.board}))
		return err
	}, nil)
}

func (p Page) waitsFields() []layout.Field {
	var named []string
	for _, l := range p.Waits.For {
		named = append(named, l.ID)
	}
	cards, reason := strings.Join(named, ", "), visit.Typable(p.Waits.Reason)
	if p.Draft.in(waitsID) {
		cards, reason = p.Draft.Text["waits_for"], p.Draft.Text["waits_reason"]
	}
	return []layout.Field{
		{Name: "waits_for", Label: "Cards to wait for", Type: "text", MaxLength: 1200, Exact: true, Value: cards, Hint: "Their ids, like SHOP-2, SHOP-3.", Problem: layout.For(p.Problems, "waits_for")},
		{Name: "waits_reason", Label: "Reason", Type: "textarea", MaxLength: reasonLimit, Value: reason, Problem: layout.For(p.Problems, "waits_reason")},
	}
}

// SetConflict says that two cards may not be in progress together.
func SetConflict(v *visit.Visit) error {
	return change(v, conflictsID, []string{"other", "conflict_reason"}, func(at place, typed map[string]string) error {
		other := strings.ToUpper(typed["other"])
		if other == "" {
			return dash.InvalidRequestRefusal{Issues: []dash.Fault{{In: dash.FaultInBody, Path: "/other", Message: "must be named"}}}
		}
		_, err := apiclient.Check(v.API.SetConflictWithResponse(v.R.Context(), at.id, other, &dash.SetConflictParams{Board: at.board}, dash.ConflictSet{Reason: typed["conflict_reason"]}))
		return err
	}, map[string]visit.Field{
		"other": {ID: "other", Label: "The other card"}, "/other": {ID: "other", Label: "The other card"},
		"/reason": {ID: "conflict_reason", Label: "The reason"},
	})
}

// ClearConflict lets two cards be in progress together.
func ClearConflict(v *visit.Visit) error {
	return change(v, conflictsID, nil, func(at place, _ map[string]string) error {
		_, err := apiclient.Check(v.API.ClearConflictWithResponse(v.R.Context(), at.id, v.R.PathValue("other"), &dash.ClearConflictParams{Board: at.board}))
		return ended(err)
	}, nil)
}

func (p Page) conflictFields() []layout.Field {
	return []layout.Field{
		{Name: "other", Label: "Other card", Type: "text", MaxLength: 21, Exact: true, Value: p.Draft.Text["other"], Hint: "Its id, like SHOP-2.", Problem: layout.For(p.Problems, "other")},
		{Name: "conflict_reason", Label: "Reason", Type: "textarea", MaxLength: reasonLimit, Value: p.Draft.Text["conflict_reason"], Problem: layout.For(p.Problems, "conflict_reason")},
	}
}

// Find leads from a card's id alone to its page: its prefix names the board.
func Find(v *visit.Visit) error {
	if _, err := v.Me(); err != nil {
		return err
	}
	id := strings.ToUpper(v.R.PathValue("id"))
	prefix, _, _ := strings.Cut(id, "-")
	limit := dash.Limit(200)
	params := dash.ListBoardsParams{Limit: &limit}
	for {
		rsp, err := apiclient.Check(v.API.ListBoardsWithResponse(v.R.Context(), &params))
		if err != nil {
			return err
		}
		if rsp.JSON200 == nil {
			return errors.New("the API answered no list of boards")
		}
		for _, b := range rsp.JSON200.Boards {
			if b.Prefix == prefix {
				at := place{board: b.Ref, id: id}
				return v.Go(at.path())
			}
		}
		next, _ := rsp.JSON200.NextCursor.Get()
		if next == "" || params.Cursor != nil && *params.Cursor == next {
			return dash.NotFoundRefusal{Message: "no board has this prefix"}
		}
		params.Cursor = &next
	}
}
