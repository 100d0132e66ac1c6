// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
	"github.com/fiftyarms/platform/internal/work"
)

// ListBoards lists the boards of the caller's team.
func (h *Handler) ListBoards(ctx context.Context, request dash.ListBoardsRequestObject) (dash.ListBoardsResponseObject, error) {
	list, err := newListing(byNumber, request.Params.Limit, request.Params.Cursor)
	if err != nil {
		return nil, err
	}
	rows, err := h.team(ctx).Boards(ctx, list.after, list.fetch())
	if err != nil {
		return nil, during("list boards", err)
	}
	rows, next := cut(list, rows, func(b dash.Board) int64 { return b.Ref })
	return dash.ListBoards200JSONResponse{Boards: some(rows), NextCursor: next}, nil
}

// CreateBoard makes a board.
func (h *Handler) CreateBoard(ctx context.Context, request dash.CreateBoardRequestObject) (dash.CreateBoardResponseObject, error) {
	var out dash.Board
	err := h.change(ctx, func(c *change) error {
		created, err := c.once(ctx, request.Params.IdempotencyKey, request.Body, func() (string, error) {
			ref, err := c.createBoard(ctx, *request.Body)
			return strconv.FormatInt(ref, 10), err
		})
		if err != nil {
			return err
		}
		ref, err := strconv.ParseInt(created, 10, 64)
		if err != nil {
			return fmt.Errorf("a board that was created: %w", err)
		}
		out, err = board(ctx, c, ref)
		return err
	})
	return dash.CreateBoard201JSONResponse(out), err
}

func (c *change) createBoard(ctx context.Context, body dash.BoardCreate) (ref int64, err error) {
	b, err := work.NewBoard(body, c.at)
	if err != nil {
		return 0, err
	}
	ref, err = c.AddBoard(ctx, b)
	if errors.Is(err, store.ErrDuplicate) {
		return 0, dash.PrefixTakenRefusal{
			Message: fmt.Sprintf("another board has the prefix %s: choose another", b.Prefix), Prefix: b.Prefix,
		}
	}
	if err != nil {
		return 0, err
	}
	return ref, c.tell(dash.EventKindBoardCreated, ref, "", b.Version)
}

// GetBoard reads a board.
func (h *Handler) GetBoard(ctx context.Context, request dash.GetBoardRequestObject) (dash.GetBoardResponseObject, error) {
	b, err := board(ctx, h.team(ctx), request.Ref)
	return dash.GetBoard200JSONResponse{Body: b, Headers: dash.GetBoard200ResponseHeaders{ETag: work.ETag(b.Version)}}, err
}

// EditBoard changes what a board says of itself.
func (h *Handler) EditBoard(ctx context.Context, request dash.EditBoardRequestObject) (dash.EditBoardResponseObject, error) {
	seen, err := work.Seen(request.Body.Version, request.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	var out dash.Board
	err = h.change(ctx, func(c *change) error {
		b, err := board(ctx, c, request.Ref)
		if err != nil {
			return err
		}
		if err := work.FreshBoard(b, seen); err != nil {
			return err
		}
		var changes []dash.Change
		out, changes, err = work.EditBoard(b, *request.Body, c.at)
		if err != nil || len(changes) == 0 {
			return err
		}
		if err := c.SaveBoard(ctx, out); err != nil {
			return err
		}
		return c.tell(dash.EventKindBoardEdited, out.Ref, "", out.Version, changes...)
	})
	return dash.EditBoard200JSONResponse{Body: out, Headers: dash.EditBoard200ResponseHeaders{ETag: work.ETag(out.Version)}}, err
}

// team is what the caller's team has.
func (h *Handler) team(ctx context.Context) store.WorkReader { return h.Store.Of(caller(ctx).TeamID) }

// board reads a board that a call names.
func board(ctx context.Context, r store.WorkReader, ref int64) (dash.Board, error) {
	b, err := r.Board(ctx, ref)
	return b, orMissing(err, "there is no board %d: GET /api/boards lists those that there are", ref)
}

// orMissing names what is not there.
func orMissing(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return dash.NotFoundRefusal{Message: fmt.Sprintf(format, args...)}
	}
	return err
}

// some is a list that stands as [] on the wire when it is empty.
func some[Row any](rows []Row) []Row {
	if rows == nil {
		return []Row{}
	}
	return rows
}
