// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// finding is one leaf of a failed validation.
type finding struct {
	at      []string // place in the value
	message string
	hard    bool     // Courtesy reports it too
	types   []string // of a wrong type: the right ones
	got     string   // of a wrong type: the type that came
	values  []any    // of another value than a const or enum has: the right ones
	unknown bool     // a field that the schema does not have
}

// leafFinding words one error that has no causes of interest. Messages name
// what the schema wants, never what came: that may be a secret.
func leafFinding(e *jsonschema.ValidationError) finding {
	f := finding{at: e.InstanceLocation}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		f.hard, f.types, f.got = true, k.Want, k.Got
	case *kind.Enum:
		f.values = k.Want
	case *kind.Const:
		f.values = []any{k.Want}
	case *kind.FalseSchema:
		f.message = "is not allowed"
		if strings.HasSuffix(e.SchemaURL, "/unevaluatedProperties") || strings.HasSuffix(e.SchemaURL, "/additionalProperties") {
			f.message, f.unknown = unknownField, true
		}
	case *kind.Format:
		f.message = "must be " + formatName(k.Want)
	case *kind.Pattern:
		f.message = "must match " + shorten(k.Want, 200)
	case *kind.MinLength:
		f.message = atLeast(k.Want, "character")
	case *kind.MaxLength:
		f.message = atMost(k.Want, "character")
	case *kind.MinItems:
		f.message = atLeast(k.Want, "item")
	case *kind.MaxItems:
		f.message = atMost(k.Want, "item")
	case *kind.MinProperties:
		f.message = atLeast(k.Want, "field")
	case *kind.MaxProperties:
		f.message = atMost(k.Want, "field")
	case *kind.UniqueItems:
		f.message = fmt.Sprintf("must not repeat an item: items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Minimum:
		f.message = "must be at least " + number(k.Want)
	case *kind.Maximum:
		f.message = "must be at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		f.message = "must be greater than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		f.message = "must be less than " + number(k.Want)
	case *kind.MultipleOf:
		f.message = "must be a multiple of " + number(k.Want)
	case *kind.Contains, *kind.MinContains:
		f.message = "must hold at least one item of the form that is asked for"
	case *kind.MaxContains:
		f.message = "holds too many items of the form that is asked for"
	case *kind.PropertyNames:
		f.at, f.message = below(f.at, k.Property), "is not an allowed field name"
	case *kind.OneOf:
		f.message = "must match only one of the allowed forms, but matches several"
	case *kind.Not:
		f.message = "is of a form that is not allowed"
	default:
		f.message = "is not valid"
	}
	return f
}

const unknownField = "is not a known field"

// text is the message for an issue. got is left out for parameters, which are
// always text.
func (f finding) text(withGot bool) string {
	switch {
	case f.types != nil:
		var names []string
		for _, t := range f.types {
			if t != "null" {
				names = append(names, article(t))
			}
		}
		if len(names) < len(f.types) {
			names = append(names, "null")
		}
		s := "must be " + strings.Join(names, " or ")
		if withGot {
			s += ", got " + article(f.got)
		}
		return s
	case f.values != nil:
		const most = 20
		var list []string
		for _, v := range f.values {
			if len(list) == most {
				return fmt.Sprintf("must be one of %s, … (%d more)", strings.Join(list, ", "), len(f.values)-most)
			}
			list = append(list, literal(v))
		}
		if len(list) == 1 {
			return "must be " + list[0]
		}
		return "must be one of " + strings.Join(list, ", ")
	}
	return f.message
}

// literal writes a value of the schema.
func literal(v any) string {
	switch v := v.(type) {
	case []any, map[string]any:
		b, err := json.Marshal(v)
		if err != nil {
			return "a value of the contract"
		}
		return shorten(string(b), 80)
	case string:
		return string(rawjson.Quote(nil, shorten(v, 80)))
	case nil:
		return "null"
	default:
		return shorten(fmt.Sprint(v), 80)
	}
}

func article(jsonType string) string {
	switch jsonType {
	case "null":
		return "null"
	case "integer", "array", "object":
		return "an " + jsonType
	}
	return "a " + jsonType
}

func atLeast(n int, unit string) string {
	if n == 1 {
		return "must not be empty"
	}
	return "must have at least " + strconv.Itoa(n) + " " + unit + "s"
}

func atMost(n int, unit string) string {
	switch n {
	case 0:
		return "must be empty"
	case 1:
		return "must have at most 1 " + unit
	}
	return "must have at most " + strconv.Itoa(n) + " " + unit + "s"
}

// number writes a bound of the schema without loss.
func number(r *big.Rat) string {
	if r.IsInt() {
		return shorten(r.RatString(), 40)
	}
	digits, exact := r.FloatPrec()
	if !exact || digits > 30 {
		digits = 30
	}
	return r.FloatString(digits)
}

func formatName(format string) string {
	switch format {
	case "date-time":
		return "a date and time like 2006-01-02T15:04:05Z"
	case "date":
		return "a date like 2006-01-02"
	case "time":
		return "a time like 15:04:05Z"
	case "email":
		return "an email address"
	case "uri", "iri":
		return "a URL with its scheme"
	case "uuid":
		return "a UUID"
	case "int32":
		return "an integer of 32 bits"
	case "int64":
		return "an integer of 64 bits"
	case "regex":
		return "a regular expression"
	}
	return "of the format " + shorten(format, 40)
}

// shorten cuts text to at most n bytes, at a character.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// below is the place of a field of the value at at.
func below(at []string, name string) []string {
	return append(at[:len(at):len(at)], name)
}
