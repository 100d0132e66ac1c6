// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/testkit"
)

// A database that a build from before boards made is brought up to date with what it holds.
func TestADatabaseFromBeforeBoards(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		address := e.Fresh(t)
		old(t, e, address, 1)
		s := open(t, address)
		ctx := t.Context()
		team, err := s.TeamByRef(ctx, "acme")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.RevokeKey(ctx, store.Revocation{KeyID: "key", TeamID: team.ID, By: actor.Person, At: testkit.Start, Trail: store.Trail{ID: "trail"}}); err != nil {
			t.Error(err)
		}
		err = s.Change(ctx, team.ID, func(tx store.WorkTx) error {
			_, err := tx.AddBoard(ctx, dash.Board{Name: "Shop", Prefix: "SHOP"})
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if head, err := s.Of(team.ID).EventHead(ctx); err != nil || head != 1 {
			t.Errorf("the head of the log is %d, %v", head, err)
		}
		if _, err := s.Of("other").EventHead(ctx); err != nil {
			t.Error("the second team has no log:", err)
		}
	})
}

// A file that was attached before blobs had names of their own is found under its id, until it takes new bytes.
func TestAFileFromBeforeBlobs(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		address := e.Fresh(t)
		old(t, e, address, 2, slices.Concat(filled[:2]...)...)
		s := open(t, address)
		ctx := t.Context()
		for _, want := range []string{"file", "new"} {
			listed, err := s.Of("team").Attachments(ctx, "SHOP-1")
			if err != nil || len(listed) != 1 || listed[0].Blob != want {
				t.Fatalf("the files are %+v, %v; want the blob %q", listed, err, want)
			}
			a, err := s.Of("team").Attachment(ctx, "SHOP-1", "file")
			if err != nil || a.Blob != want || a.Filename != "notes.md" {
				t.Fatalf("the file is %+v, %v; want the blob %q", a, err, want)
			}
			a.Blob = "new"
			if err := s.Change(ctx, "team", func(tx store.WorkTx) error { return tx.SaveAttachment(ctx, "SHOP-1", a) }); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// old makes a database as of a version, with two teams and a key, and whatever more is inserted.
func old(t *testing.T, e testkit.Engine, address string, version int64, more ...string) {
	t.Helper()
	db := database(t, e, address)
	if err := sqlstore.MigrateTo(t.Context(), e.Name, db, version); err != nil {
		t.Fatal(err)
	}
	for _, statement := range append([]string{
		`INSERT INTO team (id, slug, name, created_at) VALUES ('team', 'acme', 'Acme', 1), ('other', 'bolt', 'Bolt', 1)`,
		`INSERT INTO person (id, team_id, name, email, email_key, password_hash, permissions, created_at)
			VALUES ('person', 'team', 'Ada', 'a', 'A', 'phc', '[]', 1)`,
		`INSERT INTO agent_key (id, team_id, owner_id, hash, prefix, title, permissions, created_at, last_used_at)
			VALUES ('key', 'team', 'person', 'hash', 'p', 't', '[]', 1, 1)`,
	}, more...) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// Where no gap is left some is made, among the cards nearby or in the whole column.
func TestAColumnThatHasNoRoomGetsSome(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		s := open(t, e.Fresh(t))
		s.SetGap(2)
		ctx := t.Context()
		if err := s.AddTeam(ctx, store.Team{ID: "team", Slug: "acme"}); err != nil {
			t.Fatal(err)
		}
		var want []string
		for n := range 200 {
			want = append(want, fmt.Sprintf("S-%d", n+1))
		}
		err := s.Change(ctx, "team", func(tx store.WorkTx) error {
			board, err := tx.AddBoard(ctx, dash.Board{Name: "Shop", Prefix: "S"})
			if err != nil {
				return err
			}
			for range want {
				if _, err := tx.AddIssue(ctx, dash.Issue{Board: board, Status: dash.IssueStatusToDo}); err != nil {
					return err
				}
			}
			for n := range 300 { // the last after the first, in the middle, and near the end
				after := []int{0, 100, 196}[n%3]
				if err := tx.PlaceIssue(ctx, want[199], dash.IssueStatusToDo, store.Place{After: want[after]}); err != nil {
					return err
				}
				want = slices.Insert(want[:199:199], after+1, want[199])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.Of("team").Issues(ctx, store.IssueQuery{Limit: 300})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range page {
			got = append(got, i.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the column (-want +got):\n%s", diff)
		}
	})
}

// What the content of a card leaves out is named as the contract names it.
func TestWhatStandsApartIsOfACard(t *testing.T) {
	left := slices.Clone(sqlstore.Apart)
	for f := range reflect.TypeFor[dash.Issue]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		left = slices.DeleteFunc(left, func(apart string) bool { return apart == name })
	}
	if len(left) > 0 {
		t.Errorf("a card has no %q", left)
	}
}
