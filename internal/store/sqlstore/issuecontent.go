// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"reflect"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// apart are the members of a card that its content does not hold: they stand in columns or are made of other rows. Any
// other member is kept with no word here, so that a new one costs the store nothing.
var apart = []string{
	"id", "board", "status", "parent_id", "gates", "description_hash", "version", "created_at", "updated_at",
	"description", "acceptance", "waiting_on", "conflict_on", "attachments", "children",
}

// A member is a field of a card that its content holds.
type member struct {
	name     string
	field    int
	optional bool
}

var members = func() (members []member) {
	t := reflect.TypeFor[dash.Issue]()
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if !slices.Contains(apart, name) {
			members = append(members, member{name, i, strings.Contains(options, "omitempty")})
		}
	}
	return members
}()

// issueContent is what a card says, as its row holds it.
func issueContent(i dash.Issue) (string, error) {
	card, content := reflect.ValueOf(i), make(map[string]any, len(members))
	for _, m := range members {
		if v := card.Field(m.field); !m.optional || !v.IsZero() {
			content[m.name] = v.Interface()
		}
	}
	return toJSON(content)
}

// issue is a card as it always is. Its gates stand in the order of the contract.
func issue(row sqldb.IssueByIDRow) (store.Issue, error) {
	i, err := fromJSON[dash.Issue](row.Content)
	i.ID, i.Board, i.Status, i.ParentID = row.ID, row.Board, dash.IssueStatus(row.Status), row.ParentID
	i.DescriptionHash, i.Version = row.DescriptionHash, row.Version
	i.CreatedAt, i.UpdatedAt = wireTime(row.CreatedAt), wireTime(row.UpdatedAt)
	i.Gates = []dash.Gate{} // never null
	for _, gate := range []struct {
		gate dash.Gate
		shut bool
	}{
		{dash.GateWaitingOn, row.Waiting > 0},
		{dash.GateBlocked, i.Blocked != nil},
		{dash.GateRequiresHuman, i.RequiresHuman != nil},
		{dash.GateConflictOn, row.Conflicting > 0},
	} {
		if gate.shut {
			i.Gates = append(i.Gates, gate.gate)
		}
	}
	return store.Issue{Issue: i, Position: row.Position}, err
}

// link is a card as others name it.
func link(row sqldb.IssueLinkRow) (dash.IssueLink, error) {
	l, err := fromJSON[dash.IssueLink](row.Content) // which holds the title
	l.ID, l.Board, l.Status = row.ID, row.Board, dash.IssueStatus(row.Status)
	return l, err
}
