// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/fiftyarms/platform/internal/openapi/routes"
)

// DefaultSliceBudget is the size of a slice, in tokens, when no other is asked.
const DefaultSliceBudget = 8000

// SliceOptions shape a slice.
type SliceOptions struct {
	Budget int              // tokens; 0 is DefaultSliceBudget, below 0 is no limit
	Count  func([]byte) int // counts tokens; nil is EstimateTokens
	// Extensions names the x- members to keep, wherever they are. nil keeps
	// all of an operation and none elsewhere; empty keeps none.
	Extensions []string
}

// UnknownRouteError refuses a slice of something that the document lacks.
type UnknownRouteError struct {
	Route   string   // as it was asked for
	Part    string   // set when the route exists, but not what follows its "#"
	Nearest []string // what may have been meant, best first, at most three
}

func (e *UnknownRouteError) Error() string {
	what := fmt.Sprintf("no route %q in the document", e.Route)
	if e.Part != "" {
		what = fmt.Sprintf("no schema or response %q in the document, as asked for by %q", e.Part, e.Route)
	}
	if len(e.Nearest) == 0 {
		return what
	}
	return what + "; nearest: " + strings.Join(e.Nearest, ", ")
}

// ErrNotSliced says that the document is of a kind that cannot be sliced.
var ErrNotSliced = errors.New("a Swagger 2 document cannot be sliced; convert it to OpenAPI 3 first")

// Slice makes a small and valid OpenAPI document of the named operations and
// the components they reach.
//
// An entry is a route name ("GET /x/{id}"), or one with a part that an earlier
// slice has cut: "GET /x/{id}#Name" is the component schema Name with what it
// reaches, "#responses/Name" another component, "#200" that response of the
// operation.
//
// No parameter and no schema of a request is ever cut, and neither is what an
// entry names as a part. The rest is fitted into the budget in this order:
// examples over 100 bytes go, everywhere; then all examples, everywhere, and in
// responses links and what is over 200 bytes in a description; then callbacks,
// and the schemas that only responses reach and that are farthest from the
// operation become stubs that say which entry returns them; then the inner parts
// of responses; at last what is over 200 bytes in a description of the request.
// If the request side is over the budget even so, info.description says so.
//
// The error is an [*UnknownRouteError] or [ErrNotSliced]. The output is compact
// and always the same for the same input.
func (d *Document) Slice(endpoints []string, opt SliceOptions) (json.RawMessage, error) {
	if d.isSwagger() {
		return nil, ErrNotSliced
	}
	s := &slicer{d: d, opt: opt, sizes: map[sizeKey]int{}, stubs: map[componentKey][]byte{}}
	if s.opt.Budget == 0 {
		s.opt.Budget = DefaultSliceBudget
	}
	if s.opt.Count == nil {
		s.opt.Count = EstimateTokens
	}
	for _, r := range endpoints {
		if err := s.add(r); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.ops, func(a, b *Operation) int { return cmp.Compare(a.index, b.index) })
	s.ops = slices.Compact(s.ops)
	for _, way := range []struct{ request, response trims }{
		{0, 0},
		{trimLongExamples, trimLongExamples},
		{trimExamples, trimExamples | trimText},
	} {
		s.request, s.response = way.request, way.response
		if out, ok := s.whole(); ok {
			return out, nil
		}
	}
	return s.cut(), nil
}

// slicer makes one slice.
type slicer struct {
	d     *Document
	opt   SliceOptions
	ops   []*Operation
	parts []target // what entries name behind "#"
	sizes map[sizeKey]int
	stubs map[componentKey][]byte // made so far

	request, response trims  // how much of each side is trimmed
	note              string // for info.description
	retried           bool   // add has met all components of an operation already
}

// target is a component and the entry that it was reached from.
type target struct {
	key   componentKey
	route string
}

// add reads one entry.
func (s *slicer) add(entry string) error {
	if op, ok := s.d.Lookup(entry); ok {
		s.ops = append(s.ops, op)
		return nil
	}
	route, part, _ := strings.Cut(entry, "#")
	op, ok := s.d.Lookup(route)
	if !ok || part == "" {
		return &UnknownRouteError{Route: entry, Nearest: s.d.Nearest(route, 3)}
	}
	section, name, ok := strings.Cut(part, "/")
	if !ok {
		section, name = "schemas", part
	}
	key := componentKey{section, name}
	if place, _ := s.d.component(key); place.OK() && sectionKind[section] != kindOpaque {
		s.parts = append(s.parts, target{key, op.Route()})
		return nil
	}
	response := s.d.src.Get(s.d.src.Get(op.span, "responses"), part)
	if response.OK() && !strings.HasPrefix(part, "x-") {
		key := s.d.hoist("responses", op.Route()+" "+part, response)
		s.parts = append(s.parts, target{key, op.Route()})
		return nil
	}
	// A name that an earlier slice made up is known again once the operation's
	// components have been met.
	if !s.retried {
		s.retried = true
		again := &slicer{d: s.d, opt: SliceOptions{Budget: -1, Count: s.opt.Count}, ops: []*Operation{op}, sizes: s.sizes, stubs: s.stubs}
		again.whole()
		return s.add(entry)
	}
	names := slices.Collect(maps.Keys(s.d.components()["schemas"]))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(routes.Levenshtein(a, part), routes.Levenshtein(b, part)), cmp.Compare(a, b))
	})
	return &UnknownRouteError{Route: entry, Part: part, Nearest: names[:min(3, len(names))]}
}

// written is the paths of a slice, and what they refer to directly.
type written struct {
	paths    []byte
	request  []target
	response []target // of successes first
	security bool     // an operation relies on the document's security
}

// bareResponses leaves of inline responses only their descriptions.
const bareResponses = -2

// whole writes everything, if that fits.
func (s *slicer) whole() ([]byte, bool) {
	w := s.operations(-1, true)
	h := s.hold(w)
	used := 0
	queue := s.rest(w, h)
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		if h.has(t.key) {
			continue
		}
		p := s.d.piece(t.key, s.response, s.opt.Extensions)
		h.put(t.key, p.json)
		if used += s.size(t.key, p.json); used > s.opt.Budget && s.opt.Budget >= 0 {
			return nil, false
		}
		queue = append(queue, p.targets(t.route)...)
	}
	out := s.assemble(w, h)
	return out, s.opt.Budget < 0 || s.opt.Count(out) <= s.opt.Budget
}

// cut writes what fits.
func (s *slicer) cut() []byte {
	s.note = fmt.Sprintf("Cut to fit %d tokens: what says \"cut to fit\" names the entry of endpoints that returns it.", s.opt.Budget)
	if slices.ContainsFunc(s.ops, func(op *Operation) bool { return s.d.src.Get(op.span, "callbacks").OK() }) {
		s.note += " Callbacks are left out."
	}
	w, h, fits := s.shrink()
	if !fits {
		s.request |= trimText
		w, h, fits = s.shrink()
	}
	if !fits {
		s.note = fmt.Sprintf("The request side alone is over the budget of %d tokens; it is whole all the same. ", s.opt.Budget) + s.note
	}
	out := s.assemble(w, h)
	// The pieces' tokens need not add up to those of the whole.
	for budget, try := s.opt.Budget, 0; try < 4; try++ {
		over := s.opt.Count(out) - s.opt.Budget
		if over <= 0 {
			break
		}
		budget -= over
		h, _ = s.fill(w, budget, true)
		out = s.assemble(w, h)
	}
	return out
}

// shrink looks for the most of inline responses that leaves room for stubs of
// what they refer to.
func (s *slicer) shrink() (w written, h *holding, fits bool) {
	for _, inner := range []int{-1, 8, 5, 3, 2, 1, 0, bareResponses} {
		w = s.operations(inner, false)
		if h, fits = s.fill(w, s.opt.Budget, inner == bareResponses); fits {
			break
		}
	}
	return w, h, fits
}

// fill keeps the components that are nearest to the operations, as far as they
// fit, and stubs the rest of what those refer to. It tells whether at least
// the stubs fit; if they do not, it goes on only if it must.
func (s *slicer) fill(w written, budget int, must bool) (h *holding, fits bool) {
	h = s.hold(w)
	used := s.opt.Count(s.assemble(w, h))
	stubs := map[componentKey][]byte{}
	var queue []target
	cost := func(t target) int { // of a stub that is not there yet
		if h.has(t.key) || stubs[t.key] != nil {
			return 0
		}
		return s.size(t.key, s.stub(t))
	}
	enqueue := func(list []target) {
		for _, t := range list {
			used += cost(t)
			if !h.has(t.key) && stubs[t.key] == nil {
				stubs[t.key] = s.stub(t)
				queue = append(queue, t)
			}
		}
	}
	enqueue(s.rest(w, h))
	if fits = used <= budget; !fits && !must {
		return nil, false
	}
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		p := s.d.piece(t.key, s.response, s.opt.Extensions)
		refs := p.targets(t.route)
		more := s.size(t.key, p.json) - s.size(t.key, stubs[t.key])
		for _, r := range refs {
			more += cost(r)
		}
		if used+more > budget && more > 0 {
			h.put(t.key, stubs[t.key])
			continue
		}
		h.put(t.key, p.json)
		used += s.size(t.key, p.json) - s.size(t.key, stubs[t.key])
		enqueue(refs)
	}
	return h, fits
}

// stub is what stands for a component that does not fit.
func (s *slicer) stub(t target) []byte {
	stub, ok := s.stubs[t.key]
	if !ok {
		stub = s.makeStub(t)
		s.stubs[t.key] = stub
	}
	return stub
}

func (s *slicer) makeStub(t target) []byte {
	place, _ := s.d.component(t.key)
	switch t.key.section {
	case "schemas", "responses", "headers":
		if place.OK() {
			name := t.key.name
			if t.key.section != "schemas" {
				name = t.key.section + "/" + name
			}
			return s.d.cutStub(t.key.section, place, t.route+"#"+name)
		}
	}
	return s.d.piece(t.key, s.response, s.opt.Extensions).json
}

// holding is the components of a slice.
type holding struct {
	order []componentKey
	json  map[componentKey][]byte
}

func (h *holding) has(key componentKey) bool { return h.json[key] != nil }

func (h *holding) put(key componentKey, json []byte) {
	h.order = append(h.order, key)
	h.json[key] = json
}

// hold begins with what is never cut: all that requests reach, and the parts
// that were asked for by name.
func (s *slicer) hold(w written) *holding {
	h := &holding{json: map[componentKey][]byte{}}
	queue := slices.Clone(w.request)
	for i := 0; i < len(queue); i++ {
		if t := queue[i]; !h.has(t.key) {
			p := s.d.piece(t.key, s.request, s.opt.Extensions)
			h.put(t.key, p.json)
			queue = append(queue, p.targets(t.route)...)
		}
	}
	for _, t := range s.parts {
		if !h.has(t.key) {
			h.put(t.key, s.d.piece(t.key, s.request, s.opt.Extensions).json)
		}
	}
	return h
}

// rest is what may be cut, at its nearest.
func (s *slicer) rest(w written, h *holding) []target {
	list := slices.Clone(w.response)
	for _, t := range s.parts {
		list = append(list, s.d.piece(t.key, s.request, s.opt.Extensions).targets(t.route)...)
	}
	return slices.DeleteFunc(list, func(t target) bool { return h.has(t.key) })
}

func (p *piece) targets(route string) []target {
	out := make([]target, len(p.refs))
	for i, key := range p.refs {
		out[i] = target{key, route}
	}
	return out
}

// size is a component's cost in a slice, with its name.
func (s *slicer) size(key componentKey, json []byte) int {
	id := sizeKey{key, len(json)}
	n, ok := s.sizes[id]
	if !ok {
		n = s.opt.Count(append(rawjson.Quote(nil, key.name), json...)) + 1
		s.sizes[id] = n
	}
	return n
}

// sizeKey tells the few forms of a component apart.
type sizeKey struct {
	key   componentKey
	bytes int
}

// EstimateTokens guesses how many tokens a language model sees in JSON text:
// one for each 3.5 bytes, which is slightly too many for compact JSON.
func EstimateTokens(b []byte) int { return (2*len(b) + 6) / 7 }
