// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oapi-codegen/nullable"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

// pageSize is how many rows a page has where the caller does not say.
const pageSize = 50

// places are how the places in one kind of list stand in a cursor, which is text that means nothing to a caller.
type places[Place any] struct {
	write func(Place) string
	read  func(string) (Place, error)
}

// The kinds of lists.
var (
	byTime = places[store.Position]{
		write: func(p store.Position) string { return fmt.Sprintf("%d.%s", p.At.UnixMilli(), p.ID) },
		read: func(s string) (store.Position, error) {
			at, id, _ := strings.Cut(s, ".")
			ms, err := strconv.ParseInt(at, 10, 64)
			if id == "" || strings.Trim(id, "0123456789abcdef") != "" {
				err = errNoCursor
			}
			return store.Position{At: time.UnixMilli(ms).UTC(), ID: id}, err
		},
	}
	byNumber = places[int64]{
		write: func(n int64) string { return strconv.FormatInt(n, 10) },
		read:  func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) },
	}
	byColumn = places[store.IssuePlace]{
		write: func(p store.IssuePlace) string {
			return fmt.Sprintf("%d.%s.%d.%s", p.Board, p.Status, p.Position, p.ID)
		},
		read: func(s string) (p store.IssuePlace, err error) {
			parts := strings.Split(s, ".")
			if len(parts) != 4 {
				return p, errNoCursor
			}
			board, err := strconv.ParseInt(parts[0], 10, 64)
			position, badPosition := strconv.ParseInt(parts[2], 10, 64)
			p = store.IssuePlace{Board: board, Status: dash.IssueStatus(parts[1]), Position: position, ID: parts[3]}
			if !p.Status.Valid() || strings.Trim(p.ID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
				return p, errNoCursor
			}
			return p, errors.Join(err, badPosition)
		},
	}
)

var errNoCursor = errors.New("not a cursor")

// cursor names a place.
func (k places[Place]) cursor(p Place) string {
	return base64.RawURLEncoding.EncodeToString([]byte(k.write(p)))
}

// parse takes exactly what cursor writes.
func (k places[Place]) parse(s string) (Place, error) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil {
		return *new(Place), err
	}
	p, err := k.read(string(text))
	if err != nil || k.cursor(p) != s {
		return *new(Place), errors.Join(errNoCursor, err)
	}
	return p, nil
}

// A listing is a page that was asked for: at most limit rows after a place.
type listing[Place any] struct {
	places places[Place]
	after  Place
	limit  int
}

func newListing[Place any](kind places[Place], limit *int32, cursor *string) (listing[Place], error) {
	l := listing[Place]{places: kind, limit: pageSize}
	if limit != nil {
		l.limit = int(*limit)
	}
	if cursor != nil {
		after, err := kind.parse(*cursor)
		if err != nil {
			return l, invalid(dash.FaultInQuery, "cursor", "is not the next_cursor of a page")
		}
		l.after = after
	}
	return l, nil
}

// fetch is how many rows to ask the store for: one beyond the page tells whether another page follows.
func (l listing[Place]) fetch() int { return l.limit + 1 }

// cut cuts rows to the page and names where the next one starts.
func cut[Row, Place any](l listing[Place], rows []Row, place func(Row) Place) ([]Row, nullable.Nullable[string]) {
	if len(rows) <= l.limit {
		return rows, nullable.NewNullNullable[string]()
	}
	rows = rows[:l.limit]
	return rows, nullable.NewNullableWithValue(l.places.cursor(place(rows[len(rows)-1])))
}
