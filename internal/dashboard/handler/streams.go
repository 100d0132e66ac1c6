// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/dashboard/guard"
	"github.com/fiftyarms/platform/internal/dashboard/stream"
	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/store"
)

// retryAfter is how long a client waits before it opens a stream again that was cut off.
const retryAfter = 2 * time.Second

// GetStreamCursor says where the team's log stands.
func (h *Handler) GetStreamCursor(ctx context.Context, _ dash.GetStreamCursorRequestObject) (dash.GetStreamCursorResponseObject, error) {
	head, err := h.Store.Of(caller(ctx).TeamID).EventHead(ctx)
	if err != nil {
		return nil, during("where the log stands", err)
	}
	return dash.GetStreamCursor200JSONResponse{Cursor: event.Cursor(head)}, nil
}

// StreamEvents opens a stream.
func (h *Handler) StreamEvents(ctx context.Context, request dash.StreamEventsRequestObject) (dash.StreamEventsResponseObject, error) {
	p := caller(ctx)
	topics, err := event.Parse(request.Params.Topics, p.KeyID)
	if err != nil {
		return nil, invalid(dash.FaultInQuery, "topics", err.Error())
	}
	if err := h.mayFollow(ctx, p, topics); err != nil {
		return nil, err
	}
	after := int64(stream.Now)
	for _, cursor := range []*dash.EventCursor{request.Params.After, request.Params.LastEventID} { // the last one counts
		if cursor == nil {
			continue
		}
		var ok bool
		if after, ok = event.ParseCursor(*cursor); !ok {
			return nil, invalid(dash.FaultInQuery, "after", "is not the cursor of an event")
		}
	}
	opened := &eventStream{h: h, ctx: ctx, granted: p.Permissions}
	if guard.From(ctx).HeadOnly {
		return opened, nil
	}
	who := p.KeyID
	if who == "" {
		who = p.Person.ID
	}
	opened.follower, err = h.Streams.Follow(ctx, stream.Request{
		TeamID: p.TeamID, Topics: topics, KeyID: p.KeyID, Login: guard.From(ctx).LoginHash, Caller: who, After: after,
	})
	switch {
	case errors.Is(err, stream.ErrTooMany):
		return nil, dash.TooManyStreamsRefusal{
			Message: fmt.Sprintf("one caller may have %d streams open: close one first", stream.FollowersMost),
			Limit:   stream.FollowersMost,
		}
	case err != nil && !errors.Is(err, stream.ErrEnds): // which the stream says
		return nil, during("open a stream", err)
	}
	return opened, nil
}

// mayFollow refuses topics that are not there, or not for the caller.
func (h *Handler) mayFollow(ctx context.Context, p *access.Principal, topics []event.Topic) error {
	team := h.Store.Of(p.TeamID)
	for _, topic := range topics {
		if topic.Kind == event.Key {
			if p.Kind != dash.MeKindKey {
				return dash.KeyRequiredRefusal{Message: "key:self is for an agent's key alone"}
			}
			continue
		}
		if !p.Holds(dash.PermissionCardsView) {
			return dash.ForbiddenRefusal{
				Message:    fmt.Sprintf("the topic %s needs the permission %s", topic, dash.PermissionCardsView),
				Permission: dash.PermissionCardsView,
			}
		}
		var err error
		switch topic.Kind {
		case event.Board:
			_, err = team.Board(ctx, topic.Board)
		case event.Card:
			_, err = team.Link(ctx, topic.Card)
		}
		if errors.Is(err, store.ErrNotFound) {
			return dash.NotFoundRefusal{Message: fmt.Sprintf("there is nothing to follow at %s", topic)}
		}
		if err != nil {
			return during("look for a topic", err)
		}
	}
	return nil
}

// eventStream is a stream as an answer. It lasts until one side ends it.
type eventStream struct {
	h        *Handler
	ctx      context.Context // of the call
	granted  []dash.Permission
	follower *stream.Follower // nil of a HEAD, and where the server ends
}

// VisitStreamEventsResponse writes the stream.
func (s *eventStream) VisitStreamEventsResponse(w http.ResponseWriter) error {
	if s.follower != nil {
		defer s.follower.Close()
	}
	w.Header().Set("Content-Type", sse.MediaType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // or a proxy would hold events back
	w.WriteHeader(http.StatusOK)
	if guard.From(s.ctx).HeadOnly {
		return nil
	}
	err := s.run(w)
	if s.ctx.Err() != nil {
		return nil // the client left, or takes nothing any more
	}
	return err
}

// run writes what comes until one side ends the stream.
func (s *eventStream) run(w http.ResponseWriter) error {
	if s.follower == nil {
		return s.end(w, dash.EndReasonServerEnds)
	}
	if err := s.begin(w); err != nil {
		return err
	}
	flush := http.NewResponseController(w)
	defer context.AfterFunc(s.h.Streams.Ending(), guard.From(s.ctx).Hasten)()
	for judged := (time.Time{}); ; {
		// At the start too: the credential may have ended after the guard looked, and before the stream could hear of it.
		if time.Since(judged) >= s.h.Streams.Pace.Recheck {
			if why, err := s.judge(); err != nil || why != "" {
				return errors.Join(err, s.end(w, why))
			}
			judged = time.Now()
		}
		signs, err := s.follower.Next(s.ctx, w)
		switch {
		case err != nil:
			return err
		case signs&stream.Revoked != 0:
			return s.end(w, dash.EndReasonKeyRevoked)
		case signs&stream.Ends != 0:
			return s.end(w, dash.EndReasonServerEnds)
		case signs&stream.Judge != 0:
			judged = time.Time{} // once what was written before is on its way
		case signs&stream.Tick != 0:
			if _, err := w.Write(sse.AppendComment(nil, "keep-alive")); err != nil {
				return err
			}
		}
		if err := flush.Flush(); err != nil {
			return err
		}
	}
}

// begin writes what comes before the first event.
func (s *eventStream) begin(w http.ResponseWriter) error {
	head := sse.AppendRetry(nil, retryAfter)
	if cursor, stale := s.follower.Stale(); stale {
		data, err := json.Marshal(dash.StreamCursor{Cursor: event.Cursor(cursor)})
		if err != nil {
			return err
		}
		head = sse.Frame{Event: "stale", Data: data}.Append(head)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// end writes why the stream ends, if there is a reason.
func (s *eventStream) end(w http.ResponseWriter, why dash.EndReason) error {
	if why == "" {
		return nil
	}
	data, err := json.Marshal(dash.StreamEnd{Reason: why})
	if err != nil {
		return err
	}
	_, err = w.Write(sse.Frame{Event: "end", Data: data}.Append(nil))
	return err
}

// judge says why the stream may not go on; "" where it may. A credential that cannot be judged ends it without a
// reason: the client comes back and is judged then.
func (s *eventStream) judge() (dash.EndReason, error) {
	p, err := guard.From(s.ctx).Again(s.ctx)
	switch {
	case errors.As(err, new(dash.KeyRevokedRefusal)):
		return dash.EndReasonKeyRevoked, nil
	case errors.As(err, new(dash.UnauthenticatedRefusal)):
		return dash.EndReasonSignedOut, nil
	case err != nil:
		return "", during("judge a stream's credential", err)
	case !slices.Equal(access.Sorted(p.Permissions), access.Sorted(s.granted)):
		return dash.EndReasonPermissionsChanged, nil
	}
	return "", nil
}
