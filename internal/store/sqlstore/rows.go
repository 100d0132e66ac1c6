// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

func ms(t time.Time) int64 { return t.UnixMilli() }

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func wireTime(ms int64) dash.Time { return dash.At(at(ms)) }

// atOrZero is the zero time where the row has none.
func atOrZero(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return at(*ms)
}

// orNil is how a column that may be NULL is given "" as nothing.
func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// numberOrNil is how a column that may be NULL is given 0 as nothing.
func numberOrNil(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// bitOrNil is a yes or no as the columns hold it, or NULL.
func bitOrNil(b *bool) *int64 {
	if b == nil {
		return nil
	}
	n := bit(*b)
	return &n
}

// bit is a yes or no as the columns hold it.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func permissionsToJSON(p []dash.Permission) (string, error) {
	if p == nil {
		p = []dash.Permission{} // never null
	}
	return toJSON(p)
}

// toJSON is v as a column holds it. Text in it that not every engine can hold is store.ErrText.
func toJSON(v any) (string, error) {
	if !storableJSON(reflect.ValueOf(v)) {
		return "", store.ErrText
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// errUnreadable stands for the decoder's own words, which quote the row.
var errUnreadable = errors.New("a row holds what this build cannot read")

func fromJSON[T any](text string) (v T, err error) {
	if json.Unmarshal([]byte(text), &v) != nil {
		return v, errUnreadable
	}
	return v, nil
}
