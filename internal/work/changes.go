// SPDX-License-Identifier: Apache-2.0

package work

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// tellable is how many bytes of a value a change tells. A longer one is left out: who wants it reads the thing.
const tellable = 200

// derived are the members that change because others do.
var derived = []string{"version", "updated_at", "description_hash", "gates", "counts"}

// Changes lists the members that differ between two states of a thing, in the order of the contract. A text that is
// empty is as good as none.
func Changes[Thing dash.Issue | dash.Board](before, after Thing) []dash.Change {
	var out []dash.Change
	was, is := reflect.ValueOf(before), reflect.ValueOf(after)
	for n := range was.NumField() {
		field, _, _ := strings.Cut(was.Type().Field(n).Tag.Get("json"), ",")
		from, to := encoded(was.Field(n)), encoded(is.Field(n))
		if !slices.Contains(derived, field) && !bytes.Equal(from, to) {
			out = append(out, Changed(field, text(from), text(to)))
		}
	}
	return out
}

// Changed is one change, of what stands in a field as text; "" is nothing.
func Changed(field, from, to string) dash.Change {
	c := dash.Change{Field: field}
	if from != "" && len(from) <= tellable {
		c.From = &from
	}
	if to != "" && len(to) <= tellable {
		c.To = &to
	}
	return c
}

// encoded is a member's value; nil where there is nothing in it.
func encoded(v reflect.Value) []byte {
	raw, err := json.Marshal(v.Interface())
	if err != nil || string(raw) == "null" || string(raw) == `""` || string(raw) == "[]" {
		return nil // a type of the contract always encodes
	}
	return raw
}

// text is a value for people: a text as it is, what has a reason by its reason, else the JSON.
func text(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var given struct{ Reason string }
	if json.Unmarshal(raw, &given) == nil && given.Reason != "" {
		return given.Reason
	}
	return string(raw)
}

// ItemChange tells of an acceptance item, written as Markdown has it: a card has many, and each is told by its words.
// nil is none.
func ItemChange(before, after *dash.AcceptanceItem) dash.Change {
	return Changed("acceptance", itemText(before), itemText(after))
}

func itemText(i *dash.AcceptanceItem) string {
	switch {
	case i == nil:
		return ""
	case i.Checked:
		return "[x] " + i.Title
	}
	return "[ ] " + i.Title
}

// WaitingChange tells what a card waits for: the cards, or the reason where they are the same.
func WaitingChange(before, after *dash.WaitingOn) dash.Change {
	from, to := waitedFor(before), waitedFor(after)
	if from == to && before != nil && after != nil {
		from, to = before.Reason, after.Reason
	}
	return Changed("waiting_on", from, to)
}

// waitedFor names all the cards, for a comparison.
func waitedFor(w *dash.WaitingOn) string {
	if w == nil {
		return ""
	}
	var out []string
	for _, l := range w.By {
		out = append(out, l.ID)
	}
	return strings.Join(out, ", ")
}

// SameWait says whether two waits are for the same cards and the same reason.
func SameWait(a, b *dash.WaitingOn) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Reason == b.Reason && waitedFor(a) == waitedFor(b)
}
