// SPDX-License-Identifier: Apache-2.0

// Package edited tells which fields of a form a person has changed. Each field of such a form carries a mark of the value
// that the page was made with. So only what was changed is sent, and where somebody else was faster, what they changed
// is never written over by a field that nobody touched.
package edited

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
	"github.com/fiftyarms/platform/internal/dashboard/web/visible"
	"github.com/fiftyarms/platform/internal/dashboard/web/visit"
)

// Value is what a person made of one field.
type Value struct {
	Typed   string
	Changed bool

	seen string
}

// Read reads a field of the posted form. What carries no mark was not on the page, and is not changed.
func Read(v *visit.Visit, name string) Value {
	typed := strings.TrimSpace(v.Field(name))
	seen := v.Field(layout.SeenName(name))
	return Value{Typed: typed, Changed: seen != "" && mark(typed) != seen, seen: seen}
}

// mark stands for a value.
func mark(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// Fill puts into a field what stands there now, or what a person typed; then it also tells what somebody else has made
// of it since. typed is nil where the form did not come back.
func Fill(f layout.Field, now string, typed *Value) layout.Field {
	now = visit.Typable(now)
	if f.Type != "textarea" {
		now = strings.ReplaceAll(now, "\n", " ")
	}
	f.Value, f.Seen = now, mark(now)
	if typed == nil || !typed.Changed {
		return f
	}
	f.Value = typed.Typed
	if typed.seen != f.Seen && typed.Typed != now {
		f.Now = shown(f, now)
	}
	return f
}

// shown is a value as people read it: what an option says.
func shown(f layout.Field, value string) string {
	for _, o := range f.Options {
		if o.Value == value {
			return o.Label
		}
	}
	if value == "" {
		return "nothing"
	}
	return visible.Lines(value, 100_000)
}
