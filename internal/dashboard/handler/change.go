// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/store"
)

// A change is what one call changes: all of it happens, with the events that tell of it, or none.
type change struct {
	store.WorkTx
	by        dash.Actor
	at        time.Time
	operation dash.Operation
	caller    string // the key or person, for idempotency
	events    []store.Event
}

// change runs f in one transaction of the caller's team, appends the events that f told, and wakes who follows the log.
// f may run more than once; only its last run counts.
func (h *Handler) change(ctx context.Context, f func(c *change) error) error {
	p := caller(ctx)
	by, err := h.actor(ctx)
	if err != nil {
		return err
	}
	told := false
	err = h.Store.Change(ctx, p.TeamID, func(tx store.WorkTx) error {
		// The time is taken here, where the team's changes stand in line: the log's times run as its numbers do.
		c := &change{WorkTx: tx, by: by, at: h.Now(), operation: guard.From(ctx).Operation, caller: p.KeyID}
		if c.caller == "" {
			c.caller = p.Person.ID
		}
		if err := f(c); err != nil {
			return err
		}
		told = len(c.events) > 0
		if !told {
			return nil
		}
		_, err := tx.Append(ctx, c.events...)
		return err
	})
	if err != nil {
		return during(guard.From(ctx).Operation.ID, err)
	}
	if told {
		h.Wake.Wake(p.TeamID)
	}
	return nil
}

// tell has the log say what happened to a board, or with issue to a card. A version of 0 says that none has changed.
func (c *change) tell(kind dash.EventKind, board int64, issue dash.IssueID, version dash.Version, changes ...dash.Change) error {
	if !slices.Contains(c.operation.Events, string(kind)) {
		return fmt.Errorf("operation %s: it does not declare the event %s", c.operation.ID, kind)
	}
	e := dash.Event{Kind: kind, At: dash.At(c.at), By: c.by, Board: &board, Issue: optional(issue), Changes: changes}
	if version != 0 {
		e.Version = &version
	}
	if e.Changes == nil {
		e.Changes = []dash.Change{}
	}
	c.events = append(c.events, store.Event{Event: e})
	return nil
}

// actor is who the log says it was.
func (h *Handler) actor(ctx context.Context) (dash.Actor, error) {
	p := caller(ctx)
	by := dash.Actor{Kind: dash.ActorKindPerson, Name: p.Person.Name, Person: p.Person}
	if p.Kind != dash.MeKindKey {
		return by, nil
	}
	by.Kind = dash.ActorKindAgent
	s, err := h.Store.SessionByKey(ctx, p.KeyID)
	switch {
	case err == nil:
		by.Name = s.Agent.Name
	case !errors.Is(err, store.ErrNotFound):
		return by, during("find an agent", err)
	case guard.From(ctx).Key.Title != "":
		by.Name = guard.From(ctx).Key.Title
	default:
		by.Name = "An agent"
	}
	return by, nil
}
