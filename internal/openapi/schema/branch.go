// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// reporter turns a failed validation into findings.
type reporter struct {
	lookup func(url string) any
	value  any // what was validated
}

// findings lists the leaves below an error; of a choice of forms only those of
// the form that was most likely meant.
func (r *reporter) findings(e *jsonschema.ValidationError) []finding {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return r.all(e.Causes)
	case *kind.AnyOf:
		return r.choose(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return r.choose(e)
		}
	case *kind.Required:
		return missing(e.InstanceLocation, k.Missing, "is required")
	case *kind.DependentRequired:
		return missing(e.InstanceLocation, k.Missing, "is required when "+literal(k.Prop)+" is given")
	case *kind.Dependency:
		return missing(e.InstanceLocation, k.Missing, "is required when "+literal(k.Prop)+" is given")
	case *kind.AdditionalProperties:
		message := unknownField + r.known(e.SchemaURL)
		var out []finding
		for _, name := range k.Properties {
			out = append(out, finding{at: below(e.InstanceLocation, name), message: message, unknown: true})
		}
		return out
	case *kind.PropertyNames:
		f := leafFinding(e)
		if object, _ := r.valueAt(e.InstanceLocation).(map[string]any); object == nil {
			f.at = nil // the library may report a place that it has reused since
		} else if _, ok := object[k.Property]; !ok {
			f.at = nil
		}
		return []finding{f}
	case *kind.RefCycle:
		return nil // a schema that is only itself asks for nothing
	}
	return []finding{leafFinding(e)}
}

// known lists the fields that an object's schema has, where they are few and all that it takes.
func (r *reporter) known(address string) string {
	const most = 12
	node, _ := r.schemaAt(address).(map[string]any)
	properties, _ := node["properties"].(map[string]any)
	if len(properties) == 0 || len(properties) > most || node["patternProperties"] != nil {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		names = append(names, shorten(name, 60))
	}
	return "; known: " + strings.Join(names, ", ")
}

func (r *reporter) all(causes []*jsonschema.ValidationError) []finding {
	var out []finding
	for _, c := range causes {
		out = append(out, r.findings(c)...)
	}
	return out
}

func missing(at, names []string, message string) []finding {
	var out []finding
	for _, name := range names {
		out = append(out, finding{at: below(at, name), message: message, hard: true})
	}
	return out
}

// branch is one form of a choice and what is wrong with the value for it.
type branch struct {
	findings  []finding
	otherType bool     // the value is of another JSON type altogether
	value     *finding // it has another const or enum
	tag       *finding // a direct field has: most likely another form was meant
}

// choose reports the one form of anyOf or oneOf that the value comes nearest:
// the discriminator's, else of those with the right JSON type and the right
// constants the one with the fewest findings, and of those the deepest.
func (r *reporter) choose(e *jsonschema.ValidationError) []finding {
	at := e.InstanceLocation
	if found, ok := r.byDiscriminator(e); ok {
		return found
	}
	branches := make([]branch, 0, len(e.Causes))
	for _, cause := range e.Causes {
		b := branch{findings: r.findings(cause)}
		slices.SortStableFunc(b.findings, func(a, b finding) int { return slices.Compare(a.at, b.at) })
		for i, f := range b.findings {
			if f.types != nil && len(f.at) == len(at) {
				b.otherType = true
			}
			if f.values != nil && len(f.at) == len(at) {
				b.value = &b.findings[i]
			}
			if f.values != nil && len(f.at) == len(at)+1 && b.tag == nil {
				b.tag = &b.findings[i]
			}
		}
		branches = append(branches, b)
	}
	if rest := without(branches, func(b branch) bool { return b.otherType }); len(rest) > 0 {
		branches = rest
	} else if merged, ok := mergeTypes(at, branches); ok {
		return merged
	}
	if rest := without(branches, func(b branch) bool { return b.tag != nil }); len(rest) > 0 {
		branches = rest
	} else if merged, ok := mergeValues(branches, func(b branch) *finding { return b.tag }); ok {
		return merged
	}
	if merged, ok := mergeValues(branches, func(b branch) *finding { return b.value }); ok {
		return merged
	}
	var best branch
	for i, b := range branches {
		if i == 0 || len(b.findings) < len(best.findings) || len(b.findings) == len(best.findings) && depth(b) > depth(best) {
			best = b
		}
	}
	// If one form fails for soft reasons only, a newer contract may allow the
	// value, whatever is wrong with it for the others.
	for _, b := range branches {
		if !slices.ContainsFunc(b.findings, func(f finding) bool { return f.hard }) {
			for i := range best.findings {
				best.findings[i].hard = false
			}
		}
	}
	return best.findings
}

func without(list []branch, drop func(branch) bool) []branch {
	var out []branch
	for _, b := range list {
		if !drop(b) {
			out = append(out, b)
		}
	}
	return out
}

func depth(b branch) (n int) {
	for _, f := range b.findings {
		n = max(n, len(f.at))
	}
	return n
}

// mergeTypes joins "must be a string" and "must be an object" into one.
func mergeTypes(at []string, branches []branch) ([]finding, bool) {
	merged := finding{at: at, hard: true}
	for _, b := range branches {
		for _, f := range b.findings {
			if f.types == nil || len(f.at) != len(at) {
				return nil, false
			}
			merged.got = f.got
			for _, t := range f.types {
				if !slices.Contains(merged.types, t) {
					merged.types = append(merged.types, t)
				}
			}
		}
	}
	return []finding{merged}, len(merged.types) > 0
}

// mergeValues joins the constants that tell the forms apart: "kind must be one
// of "a", "b"". Another constant may be a form of a newer contract, so it is
// soft.
func mergeValues(branches []branch, pick func(branch) *finding) ([]finding, bool) {
	var merged finding
	for i, b := range branches {
		f := pick(b)
		if f == nil || i > 0 && !slices.Equal(merged.at, f.at) {
			return nil, false
		}
		merged.at = f.at
		merged.values = append(merged.values, f.values...)
	}
	return []finding{merged}, len(branches) > 1
}

// byDiscriminator reports the form that the value itself names.
func (r *reporter) byDiscriminator(e *jsonschema.ValidationError) ([]finding, bool) {
	node, _ := r.schemaAt(e.SchemaURL).(map[string]any)
	disc, ok := node["discriminator"].(*discriminator)
	if !ok {
		return nil, false
	}
	object, ok := r.valueAt(e.InstanceLocation).(map[string]any)
	if !ok {
		return nil, false
	}
	at := below(e.InstanceLocation, disc.property)
	switch tag := object[disc.property].(type) {
	case nil:
		return []finding{{at: at, message: "is required", hard: true}}, true
	case string:
		target, known := disc.targets[tag]
		if !known {
			f := finding{at: at}
			for _, v := range disc.values {
				f.values = append(f.values, v)
			}
			return []finding{f}, true
		}
		list := "oneOf"
		if _, any := e.ErrorKind.(*kind.AnyOf); any {
			list = "anyOf"
		}
		branches, _ := node[list].([]any)
		for i, b := range branches {
			if form, ok := b.(map[string]any); ok && form["$ref"] == target && i < len(e.Causes) {
				return r.findings(e.Causes[i]), true
			}
		}
	}
	return nil, false
}

// schemaAt finds the converted schema behind an error's address.
func (r *reporter) schemaAt(address string) any {
	base, fragment, _ := strings.Cut(address, "#")
	pointer, err := url.PathUnescape(fragment)
	node := r.lookup(base)
	if err != nil {
		return nil
	}
	for _, t := range rawjson.SplitPointer(pointer) {
		node = step(node, t)
	}
	return node
}

func (r *reporter) valueAt(at []string) any {
	v := r.value
	for _, t := range at {
		v = step(v, t)
	}
	return v
}

func step(v any, token string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[token]
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}
