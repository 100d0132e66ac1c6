// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"database/sql"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// guard refuses text that one of the engines could not hold before either sees it.
type guard struct{ sqldb.DBTX }

func (g guard) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := storable(args...); err != nil {
		return nil, err
	}
	return g.DBTX.ExecContext(ctx, query, args...)
}

func (g guard) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := storable(args...); err != nil {
		return nil, err
	}
	return g.DBTX.QueryContext(ctx, query, args...)
}

func (g guard) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if err := storable(args...); err != nil {
		return g.DBTX.QueryRowContext(ended{ctx, err}, query)
	}
	return g.DBTX.QueryRowContext(ctx, query, args...)
}

// storable says whether both engines can hold every text among args.
func storable(args ...any) error {
	for _, a := range args {
		var text string
		switch a := a.(type) {
		case string:
			text = a
		case *string:
			if a != nil {
				text = *a
			}
		}
		if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
			return store.ErrText
		}
	}
	return nil
}

// storableJSON says whether both engines can hold every text that is written of v: the encoder would mend what is not
// UTF-8, and write a NUL as letters.
func storableJSON(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return storable(v.String()) == nil
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || storableJSON(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !storableJSON(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !storableJSON(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if !storableJSON(i.Key()) || !storableJSON(i.Value()) {
				return false
			}
		}
	}
	return true
}

// ended is a context that is over, for a reason of ours: only database/sql can make a Row that carries an error, and it
// makes one of the error of a context that is over.
type ended struct {
	context.Context
	err error
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (e ended) Done() <-chan struct{} { return closed }
func (e ended) Err() error            { return e.err }
