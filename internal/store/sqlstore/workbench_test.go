// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/testkit"
)

// cards is how many cards the team of a benchmark has, on one board.
const cards = 5000

var actor = dash.Actor{Kind: dash.ActorKindPerson, Name: "Ada", Person: dash.PersonRef{ID: "person", Name: "Ada"}}

// working is a store with a team that has cards. Every tenth waits for the one before.
func working(tb testing.TB, address string) *sqlstore.Store {
	tb.Helper()
	s := open(tb, address)
	ctx, now := tb.Context(), dash.At(testkit.Start)
	if err := s.AddTeam(ctx, store.Team{ID: "team", Slug: "acme", Name: "Acme", CreatedAt: testkit.Start}); err != nil {
		tb.Fatal(err)
	}
	description := strings.Repeat("The total ignores the voucher. ", 60)
	err := s.Change(ctx, "team", func(tx store.WorkTx) error {
		board, err := tx.AddBoard(ctx, dash.Board{Name: "Shop", Prefix: "SHOP", CreatedAt: now, UpdatedAt: now})
		if err != nil {
			return err
		}
		for i := range cards {
			id, err := tx.AddIssue(ctx, dash.Issue{
				Board: board, Type: dash.IssueTypeFeature, Status: dash.AllIssueStatuses[i%len(dash.AllIssueStatuses)],
				Title: fmt.Sprint("Mend the checkout, part ", i), Priority: 3, Description: &description, CreatedAt: now, UpdatedAt: now,
			})
			if err != nil {
				return err
			}
			if i%10 == 9 {
				if err := tx.SetWaitingOn(ctx, id, "In turn.", []dash.IssueID{fmt.Sprint("SHOP-", i)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func BenchmarkIssue(b *testing.B) {
	s := working(b, testkit.SQLite.Fresh(b))
	read, ctx := s.Of("team"), b.Context()
	for i := 0; b.Loop(); i++ {
		if _, err := read.Issue(ctx, 1, fmt.Sprint("SHOP-", i%cards+1)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIssueParallel(b *testing.B) {
	s := working(b, testkit.SQLite.Fresh(b))
	read, ctx := s.Of("team"), b.Context()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, err := read.Issue(ctx, 1, fmt.Sprint("SHOP-", i%cards+1)); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkIssues(b *testing.B) {
	s := working(b, testkit.SQLite.Fresh(b))
	read, ctx := s.Of("team"), b.Context()
	ready := true
	for name, q := range map[string]store.IssueQuery{
		"board":  {Board: 1, Limit: 50},
		"column": {Board: 1, Status: dash.IssueStatusToDo, Limit: 50},
		"ready":  {Board: 1, Ready: &ready, Limit: 50},
		"text":   {Text: "part 4999", Limit: 50},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if page, err := read.Issues(ctx, q); err != nil || len(page) == 0 {
					b.Fatal(len(page), err)
				}
			}
		})
	}
}

// A card goes to another column and back, with what a handler reads for that and an event for each.
func BenchmarkTransition(b *testing.B) {
	s := working(b, testkit.SQLite.Fresh(b))
	ctx, now := b.Context(), dash.At(testkit.Start)
	for i := 0; b.Loop(); i++ {
		err := s.Change(ctx, "team", func(tx store.WorkTx) error {
			card, err := tx.Issue(ctx, 1, fmt.Sprint("SHOP-", i%cards+1))
			if err != nil {
				return err
			}
			from, to := string(card.Status), dash.AllIssueStatuses[i%len(dash.AllIssueStatuses)]
			if err := tx.PlaceIssue(ctx, card.ID, to, store.Place{}); err != nil {
				return err
			}
			card.Version++
			if err := tx.SaveIssue(ctx, card.Issue); err != nil {
				return err
			}
			text := string(to)
			_, err = tx.Append(ctx, store.Event{Event: dash.Event{
				Kind: dash.EventKindIssueTransitioned, At: now, By: actor, Board: &card.Board, Issue: &card.ID, Version: &card.Version,
				Changes: []dash.Change{{Field: "status", From: &from, To: &text}},
			}})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	s := working(b, testkit.SQLite.Fresh(b))
	ctx := b.Context()
	for range 100 {
		if err := s.Change(ctx, "team", func(tx store.WorkTx) error {
			_, err := tx.Append(ctx, store.Event{Event: dash.Event{Kind: dash.EventKindIssueEdited, At: dash.At(testkit.Start), By: actor}})
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if page, err := s.Of("team").Events(ctx, 0, 100); err != nil || len(page) != 100 {
			b.Fatal(len(page), err)
		}
	}
}
