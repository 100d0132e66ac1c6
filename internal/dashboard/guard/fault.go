// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fiftyarms/platform/gen/dash"
)

// unread answers what kept the contract's schema and still fits no Go type: to the schema, 1.0 and 1e2 are whole numbers.
// in is where it stands if the error does not say.
func unread(in dash.FaultIn) func(http.ResponseWriter, *http.Request, error) {
	const whole = "must be a whole number, written without a point or exponent"
	return func(_ http.ResponseWriter, r *http.Request, err error) {
		c := From(r.Context())
		fault := dash.Fault{In: in, Message: "holds a value that cannot be read"}
		param, member := new(dash.InvalidParamFormatError), new(json.UnmarshalTypeError)
		switch {
		case errors.As(err, &param):
			fault = dash.Fault{In: paramIn(c, r, param.ParamName), Path: param.ParamName, Message: whole}
		case errors.As(err, &member):
			fault.Path = "/" + strings.ReplaceAll(member.Field, ".", "/") // the contract's own names: none has a dot or slash
			if isInteger(member.Type) {
				fault.Message = whole
			}
		}
		c.failure = invalid(fault)
	}
}

// paramIn is where a call has a parameter.
func paramIn(c *Call, r *http.Request, name string) dash.FaultIn {
	if _, ok := c.params[name]; ok {
		return dash.FaultInPath
	}
	if r.Header[http.CanonicalHeaderKey(name)] != nil && !r.URL.Query().Has(name) {
		return dash.FaultInHeader
	}
	return dash.FaultInQuery
}

func isInteger(t reflect.Type) bool {
	return t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64
}

// unkept says where a call holds text that the store refused, as far as that shows in it.
func unkept(c *Call, r *http.Request) dash.Fault {
	for _, name := range slices.Sorted(maps.Keys(c.params)) {
		if why := unkeepable(c.params[name]); why != "" {
			return dash.Fault{In: dash.FaultInPath, Path: name, Message: why}
		}
	}
	query := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if why := unkeepable(query.Get(name)); why != "" {
			return dash.Fault{In: dash.FaultInQuery, Path: name, Message: why}
		}
	}
	fault := dash.Fault{In: dash.FaultInBody, Message: "holds a NUL character, or bytes that are not UTF-8: neither can be kept"}
	if len(c.body) == 0 {
		fault.In = dash.FaultInQuery
	}
	var body any
	if json.Unmarshal(c.body, &body) == nil {
		if path, why := unkeepableIn("", body); why != "" {
			fault.Path, fault.Message = path, why
		}
	}
	return fault
}

// unkeepableIn finds such text in a JSON value, and names it by its JSON pointer.
func unkeepableIn(path string, v any) (where, why string) {
	switch v := v.(type) {
	case string:
		return path, unkeepable(v)
	case []any:
		for i, e := range v {
			if where, why = unkeepableIn(path+"/"+strconv.Itoa(i), e); why != "" {
				return where, why
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			if where, why = unkeepableIn(path+"/"+escaped, v[name]); why != "" {
				return where, why
			}
		}
	}
	return "", ""
}

// unkeepable says what keeps a text from being kept.
func unkeepable(text string) string {
	switch {
	case strings.ContainsRune(text, 0):
		return "holds a NUL character, which cannot be kept"
	case !utf8.ValidString(text):
		return "holds bytes that are not UTF-8, which cannot be kept"
	}
	return ""
}
