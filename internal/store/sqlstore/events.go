// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"math"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// Events answers a page of the log, oldest first.
func (w work) Events(ctx context.Context, after int64, limit int) ([]store.Event, error) {
	if limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	rows, err := w.q.ListEvents(ctx, sqldb.ListEventsParams{TeamID: w.teamID, AfterNumber: after, PageSize: int64(limit)})
	return w.events(ctx, "list the events", rows, err)
}

// EventHead is the number of the newest event.
func (w work) EventHead(ctx context.Context) (int64, error) {
	head, err := w.q.LogHead(ctx, sqldb.LogHeadParams{TeamID: w.teamID})
	return head, w.fail(ctx, "find the newest event", err)
}

// History answers a page of the events of a card, newest first.
func (w work) History(ctx context.Context, id dash.IssueID, before int64, limit int) ([]store.Event, error) {
	if limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := w.q.ListIssueEvents(ctx, sqldb.ListIssueEventsParams{TeamID: w.teamID, IssueID: id, BeforeNumber: before, PageSize: int64(limit)})
	return w.events(ctx, "list the events of a card", rows, err)
}

func (w work) events(ctx context.Context, doing string, rows []sqldb.Event, err error) ([]store.Event, error) {
	events := make([]store.Event, len(rows))
	for i, row := range rows {
		if err == nil {
			events[i], err = event(row)
		}
	}
	if err != nil {
		return nil, w.fail(ctx, doing, err)
	}
	return events, nil
}

func event(row sqldb.Event) (store.Event, error) {
	by, err := fromJSON[dash.Actor](row.Actor)
	if err != nil {
		return store.Event{}, err
	}
	changes, err := fromJSON[[]dash.Change](row.Changes)
	return store.Event{
		Number: row.Number, KeyID: orEmpty(row.KeyID),
		Event: dash.Event{
			Cursor: strconv.FormatInt(row.Number, 10), Kind: dash.EventKind(row.Kind), At: wireTime(row.At), By: by,
			Board: row.Board, Issue: row.IssueID, Version: row.Version, Changes: changes,
		},
	}, err
}

// Append writes events to the log.
func (w workTx) Append(ctx context.Context, events ...store.Event) (int64, error) {
	last, err := appendEvents(ctx, w.q, w.teamID, events...)
	return last, w.fail(ctx, "write to the log", err)
}

// appendEvents writes events to a team's log, which the caller has locked.
func appendEvents(ctx context.Context, q *sqldb.Queries, teamID string, events ...store.Event) (int64, error) {
	last, err := q.AdvanceLog(ctx, sqldb.AdvanceLogParams{TeamID: teamID, Events: int64(len(events))})
	if err != nil {
		return 0, err
	}
	for i, e := range events {
		actor, err := toJSON(e.By)
		if err != nil {
			return 0, err
		}
		if e.Changes == nil {
			e.Changes = []dash.Change{} // never null
		}
		changes, err := toJSON(e.Changes)
		if err != nil {
			return 0, err
		}
		err = q.CreateEvent(ctx, sqldb.CreateEventParams{
			TeamID: teamID, Number: last - int64(len(events)-1-i), Kind: string(e.Kind), At: ms(e.At.Time),
			Board: e.Board, IssueID: e.Issue, KeyID: orNil(e.KeyID), Version: e.Version, Actor: actor, Changes: changes,
		})
		if err != nil {
			return 0, err
		}
	}
	return last, nil
}
