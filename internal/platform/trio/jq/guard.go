// SPDX-License-Identifier: Apache-2.0

package jq

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/itchyny/gojq"
)

// What one step may be given.
const (
	maxNodes = 2 << 20   // values in a value
	maxBytes = 2 << 20   // of its text
	maxPair  = 20_000    // values, where each is compared with each of another
	maxText  = 256 << 10 // of text that is taken apart into many values
	maxMatch = 8 << 10   // of text that a pattern is looked for in: each match begins at the text's start
	maxIndex = 100_000   // of an array: an index makes all before it
	maxBits  = 1 << 14   // of a number
	maxDigit = 4 << 10   // of text that may be a number: reading one takes time in the square of it
)

// refused are the functions that reach beyond the body, or end more than the expression.
var refused = []string{"env", "$ENV", "input", "inputs", "debug", "stderr", "modulemeta", "get_search_list", "input_filename", "input_line_number", "halt", "halt_error"}

// guarded are the functions of which one step looks through the whole of its input, and what the input is held to.
var guarded = map[string]string{}

func init() {
	for _, name := range []string{
		"add", "tojson", "tostring", "format", "implode", "join", "transpose", "flatten", "min", "max", "sort", "unique",
		"min_by", "max_by", "sort_by", "group_by", "unique_by", "bsearch", "delpaths", "IN", "fromjson", "ascii",
		"reverse", "ascii_downcase", "ascii_upcase",
		"strptime", "strftime", "strflocaltime", "todate", "fromdate", "dateadd", "datesub", "date",
	} {
		guarded[name] = "_whole"
	}
	guarded["explode"], guarded["tonumber"] = "_text", "_digits"
	for _, name := range []string{"test", "match", "capture", "scan", "split", "splits", "sub", "gsub"} {
		guarded[name] = "_match"
	}
	for _, name := range []string{"contains", "inside", "indices", "index", "rindex"} {
		guarded[name] = "_pair"
	}
}

// guard changes a query so that what one step does is bounded, and refuses what an expression may not use.
func guard(query *gojq.Query) error {
	if len(query.Imports) > 0 || query.Meta != nil {
		return errors.New("modules are not available")
	}
	return walk(reflect.ValueOf(query), func(node any) error {
		switch node := node.(type) {
		case *gojq.Term:
			return guardTerm(node)
		case *gojq.Query:
			return guardOperator(node)
		case *gojq.String:
			for i, q := range node.Queries {
				if q.Term == nil || q.Term.Str == nil { // else it is the text between two of them
					node.Queries[i] = &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeQuery, Query: piped(q, "_whole")}}
				}
			}
		case *gojq.Index:
			if node.Start == nil || node.IsSlice {
				return nil
			}
			if n := node.Start.Term; constant(node.Start) && n.Type == gojq.TermTypeNumber {
				if i, err := strconv.ParseFloat(n.Number, 64); err != nil || i > maxIndex {
					return errIndex
				}
			}
			node.Start = piped(node.Start, "_index")
		}
		return nil
	})
}

// walk visits each node below v, the inner ones first.
func walk(v reflect.Value, visit func(node any) error) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if err := walk(v.Elem(), visit); err != nil {
			return err
		}
		return visit(v.Interface())
	case reflect.Slice:
		for i := range v.Len() {
			if err := walk(v.Index(i), visit); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := walk(v.Field(i), visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func guardTerm(t *gojq.Term) error {
	if t.Type == gojq.TermTypeFormat && t.Str == nil {
		wrap(t, "_whole")
		return nil
	}
	if t.Type != gojq.TermTypeFunc {
		return nil
	}
	f := t.Func
	if slices.Contains(refused, f.Name) {
		return fmt.Errorf("%s is not available: an expression sees the body and nothing else", f.Name)
	}
	switch {
	case f.Name == "add" && len(f.Args) == 1:
		list := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeArray, Array: &gojq.Array{Query: f.Args[0]}}}
		*t = gojq.Term{Type: gojq.TermTypeQuery, Query: pipe(piped(list, "_whole"), call("add")), SuffixList: t.SuffixList}
		return nil
	case f.Name == "join" && len(f.Args) == 1, f.Name == "transpose" && len(f.Args) == 0:
		t.Func = &gojq.Func{Name: "_" + f.Name, Args: f.Args}
		return nil
	case f.Name == "setpath" && len(f.Args) == 2:
		f.Args[0] = piped(f.Args[0], "_path")
	case f.Name == "fromstream" && len(f.Args) == 1:
		f.Args[0] = piped(f.Args[0], "_event")
	case f.Name == "IN" && len(f.Args) == 2:
		f.Args[0] = piped(f.Args[0], "_whole")
	case f.Name == "INDEX" && len(f.Args) > 0:
		f.Args[len(f.Args)-1] = piped(f.Args[len(f.Args)-1], "_whole")
	case f.Name == "contains" || f.Name == "inside" || f.Name == "indices" || f.Name == "index" || f.Name == "rindex":
		for i, arg := range f.Args {
			f.Args[i] = piped(arg, "_pair")
		}
	}
	if name := guarded[f.Name]; name != "" {
		wrap(t, name)
	}
	return nil
}

// wrap holds the input of a term to a size.
func wrap(t *gojq.Term, name string) {
	inner := *t
	inner.SuffixList = nil
	*t = gojq.Term{Type: gojq.TermTypeQuery, Query: pipe(call(name), &gojq.Query{Term: &inner}), SuffixList: t.SuffixList}
}

func guardOperator(q *gojq.Query) error {
	switch q.Op {
	case gojq.OpEq, gojq.OpNe, gojq.OpLt, gojq.OpLe, gojq.OpGt, gojq.OpGe:
		// The comparison ends where the smaller side does.
		if !constant(q.Left) && !constant(q.Right) {
			q.Left = piped(q.Left, "_whole")
		}
	case gojq.OpSub:
		if !constant(q.Left) && !constant(q.Right) {
			q.Left, q.Right = piped(q.Left, "_pair"), piped(q.Right, "_pair")
		}
	case gojq.OpUpdateSub:
		q.Right = piped(q.Right, "_pair")
	case gojq.OpDiv: // it splits text
		q.Left, q.Right = piped(q.Left, "_text"), piped(q.Right, "_text")
	case gojq.OpMul, gojq.OpAdd:
		f := call("_times")
		if q.Op == gojq.OpAdd {
			f = call("_plus_")
		}
		f.Term.Func.Args = []*gojq.Query{q.Left, q.Right}
		*q = gojq.Query{FuncDefs: q.FuncDefs, Term: f.Term}
	case gojq.OpUpdateMul, gojq.OpUpdateDiv:
		return fmt.Errorf("%s is not available: write |= . %.1s x", q.Op, q.Op)
	}
	return nil
}

// constant tells a number or a text that stands in the expression itself.
func constant(q *gojq.Query) bool {
	t := q.Term
	return t != nil && len(t.SuffixList) == 0 && len(q.FuncDefs) == 0 &&
		(t.Type == gojq.TermTypeNumber || t.Type == gojq.TermTypeString && t.Str.Queries == nil ||
			t.Type == gojq.TermTypeNull || t.Type == gojq.TermTypeTrue || t.Type == gojq.TermTypeFalse)
}

func call(name string) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name}}}
}

func pipe(left, right *gojq.Query) *gojq.Query {
	return &gojq.Query{Op: gojq.OpPipe, Left: left, Right: right}
}

func piped(q *gojq.Query, name string) *gojq.Query {
	if constant(q) {
		return q
	}
	return pipe(q, call(name))
}

var (
	errSize  = errors.New("a value is too large for one step: narrow it first")
	errIndex = fmt.Errorf("an array's index is over %d", maxIndex)
)

// guards are the functions that guard puts in.
func guards() []gojq.CompilerOption {
	sized := func(name string, nodes, bytes int) gojq.CompilerOption {
		return gojq.WithFunction(name, 0, 0, func(v any, _ []any) any {
			if !(&measure{nodes, bytes}).fits(v) {
				return errSize
			}
			return v
		})
	}
	checked := func(name string, ok func(v any) bool) gojq.CompilerOption {
		return gojq.WithFunction(name, 0, 0, func(v any, _ []any) any {
			if !ok(v) {
				return errIndex
			}
			return v
		})
	}
	return []gojq.CompilerOption{
		sized("_whole", maxNodes, maxBytes),
		sized("_pair", maxPair, maxBytes),
		sized("_text", maxNodes, maxText),
		sized("_match", maxNodes, maxMatch),
		sized("_digits", maxNodes, maxDigit),
		checked("_index", sane),
		checked("_path", sanePath),
		checked("_event", func(v any) bool {
			event, ok := v.([]any)
			return !ok || len(event) == 0 || sanePath(event[0])
		}),
		gojq.WithFunction("_times", 2, 2, times),
		gojq.WithFunction("_plus_", 2, 2, plus),
		gojq.WithFunction("_join", 1, 1, join),
		gojq.WithFunction("_transpose", 0, 0, transpose),
	}
}

func sane(index any) bool {
	n, ok := gojq.ToFloat64(index)
	return !ok || n <= maxIndex
}

func sanePath(path any) bool {
	steps, ok := path.([]any)
	return !ok || !slices.ContainsFunc(steps, func(step any) bool { return !sane(step) })
}

// The functions that take their place in a run after they were found to be small.
var (
	sum      = native("$a + $b", "$a", "$b")
	product  = native("$a * $b", "$a", "$b")
	joined   = native(". as $v | $v | join($a)", "$a")
	swapped  = native("transpose")
	tooLarge = func(v any) bool { return !(&measure{maxNodes, maxBytes}).fits(v) }
)

func native(source string, variables ...string) func(v any, args ...any) any {
	query, err := gojq.Parse(source)
	if err != nil {
		panic(err) // a fault of this file
	}
	code, err := gojq.Compile(query, gojq.WithVariables(variables))
	if err != nil {
		panic(err)
	}
	return func(v any, args ...any) any {
		result, _ := code.Run(v, args...).Next()
		return result
	}
}

func plus(_ any, args []any) any {
	a, b := args[0], args[1]
	size := 0
	for _, v := range args {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []any:
			size += 16 * len(v)
		}
	}
	if size > 2*maxBytes {
		return errSize
	}
	return sum(nil, a, b)
}

func times(_ any, args []any) any {
	a, b := args[0], args[1]
	for _, pair := range [][2]any{{a, b}, {b, a}} {
		text, isText := pair[0].(string)
		n, isNumber := gojq.ToFloat64(pair[1])
		if isText && isNumber && float64(len(text))*n > maxBytes {
			return errSize
		}
	}
	if x, ok := a.(*big.Int); ok && x.BitLen() > maxBits {
		return errSize
	}
	if x, ok := b.(*big.Int); ok && x.BitLen() > maxBits {
		return errSize
	}
	if tooLarge(a) || tooLarge(b) {
		return errSize
	}
	return product(nil, a, b)
}

func join(v any, args []any) any {
	list, _ := v.([]any)
	separator, _ := args[0].(string)
	if tooLarge(v) || tooLarge(args[0]) || len(list)*len(separator) > maxBytes {
		return errSize
	}
	return joined(v, args[0])
}

func transpose(v any, _ []any) any {
	rows, _ := v.([]any)
	columns := 0
	for _, row := range rows {
		if cells, ok := row.([]any); ok {
			columns = max(columns, len(cells))
		}
	}
	if len(rows)*columns > maxNodes {
		return errSize
	}
	return swapped(v)
}
