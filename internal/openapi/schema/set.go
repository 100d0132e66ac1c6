// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/fiftyarms/platform/internal/openapi/rawjson"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Set holds the compiled schemas of a document, by place. It is safe for
// concurrent use.
type Set struct {
	src     rawjson.Source
	resolve func(ref string) rawjson.Span // what a reference points at, or the zero Span
	legacy  bool                          // 3.0: what stands beside a reference is ignored

	mu       sync.RWMutex
	compiler *jsonschema.Compiler
	docs     map[string]any // converted schemas by address
	valid    map[string]*Validator
	weak     []error  // what cannot be enforced as written
	shapes   sync.Map // Shape by place
}

// NewSet makes the set of a document. resolve finds what a reference points at,
// or the zero Span. legacy says that the document is older than 3.1.
func NewSet(src rawjson.Source, resolve func(ref string) rawjson.Span, legacy bool) *Set {
	return &Set{src: src, resolve: resolve, legacy: legacy, docs: map[string]any{}, valid: map[string]*Validator{}}
}

// Side says for whom a schema is compiled: a request does not carry what is
// read-only, nor an answer what is write-only, so nobody can require it there.
// An answer may hold more fields than the schema knows: its server may be newer.
type Side byte

// The sides.
const (
	AnySide      Side = 'a'
	RequestSide  Side = 'q'
	ResponseSide Side = 'r'
)

// address names a schema by its place, for the compiler. Two references to one
// place are one schema.
func (s *Set) address(side Side, sp rawjson.Span) string {
	return "mem:///" + string(side) + "/" + strconv.Itoa(sp.Start)
}

// place is the reverse of address.
func (s *Set) place(address string) (Side, rawjson.Span, bool) {
	rest, ok := strings.CutPrefix(address, "mem:///")
	start, err := strconv.Atoi(rest[min(2, len(rest)):])
	if !ok || err != nil {
		return 0, rawjson.Span{}, false
	}
	return Side(rest[0]), s.src.At(start), true
}

// Validator compiles the schema at a place, at its first use. A schema that does
// not compile allows everything.
func (s *Set) Validator(side Side, sp rawjson.Span) *Validator {
	address := s.address(side, sp)
	s.mu.RLock()
	v := s.valid[address]
	s.mu.RUnlock()
	if v != nil {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v = s.valid[address]; v != nil {
		return v
	}
	if s.compiler == nil {
		s.compiler = newCompiler(s.convert, func(pattern string) {
			s.weak = append(s.weak, fmt.Errorf("the pattern %.80q cannot be compiled", pattern))
		})
	}
	// References first: the compiler's time grows with the square of what it
	// has to compile at once.
	seen := map[string]bool{}
	var err error
	var visit func(string)
	visit = func(address string) {
		if seen[address] || s.valid[address] != nil {
			return
		}
		seen[address] = true
		doc, convErr := s.convert(address)
		if convErr != nil {
			return
		}
		forEachRef(doc, visit)
		var schema *jsonschema.Schema
		if schema, err = compile(s.compiler, address); err != nil {
			s.weak = append(s.weak, fmt.Errorf("a schema does not compile: %w", err))
		}
		s.valid[address] = &Validator{schema, s.lookup}
	}
	visit(address)
	return s.valid[address]
}

// convert gives the compiler a schema document. The caller holds the lock.
func (s *Set) convert(address string) (any, error) {
	if doc, ok := s.docs[address]; ok {
		return doc, nil
	}
	side, sp, ok := s.place(address)
	if !ok {
		return nil, fmt.Errorf("no schema at %q", address)
	}
	c := &converter{s, side, sp}
	doc := c.schema(sp, 0)
	s.docs[address] = doc
	return doc, nil
}

// lookup is convert for those who do not hold the lock.
func (s *Set) lookup(address string) any {
	s.mu.RLock()
	doc, ok := s.docs[address]
	s.mu.RUnlock()
	if ok {
		return doc
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	doc, _ = s.convert(address)
	return doc
}

func forEachRef(doc any, visit func(string)) {
	switch doc := doc.(type) {
	case []any:
		for _, e := range doc {
			forEachRef(e, visit)
		}
	case map[string]any:
		for k, e := range doc {
			if ref, ok := e.(string); ok && k == "$ref" {
				visit(ref)
			} else if k != "enum" && k != "const" {
				forEachRef(e, visit)
			}
		}
	}
}

// Weak reports, joined into one error, what cannot be enforced as written in
// the schemas that have been compiled so far.
func (s *Set) Weak() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return errors.Join(s.weak...)
}

type loader func(url string) (any, error)

func (l loader) Load(url string) (any, error) { return l(url) }

func newCompiler(load loader, badPattern func(string)) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(load)
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		re, err := regexp.Compile(goPattern(pattern))
		if err != nil {
			badPattern(pattern)
			return anything(pattern), nil
		}
		return re, nil
	})
	c.RegisterFormat(intFormat("int32", 32))
	c.RegisterFormat(intFormat("int64", 64))
	return c
}

// compile and validate keep a panic of the library, of which none is known, from
// those who only asked about a document of someone else.
func compile(c *jsonschema.Compiler, address string) (schema *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			schema, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return c.Compile(address)
}

func validate(schema *jsonschema.Schema, value any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return schema.Validate(value)
}

// anything stands for a pattern that Go cannot compile.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

var unicodeEscape = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// goPattern writes the escapes of ECMAScript as Go knows them.
func goPattern(p string) string {
	return unicodeEscape.ReplaceAllString(p, `\x{$1}`)
}

func intFormat(name string, bits int) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		n, ok := v.(json.Number)
		if !ok || strings.ContainsAny(string(n), ".eE") {
			return nil // another type, or an integer in an odd spelling
		}
		_, err := strconv.ParseInt(string(n), 10, bits)
		return err
	}}
}
