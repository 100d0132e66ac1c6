// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"github.com/fiftyarms/platform/internal/openapi"
)

// readQuery turns the tool's query into that of a URL: a string as it is, a number with the digits it was written in, an
// object as its JSON text, a list as the key repeated, null as nothing.
func readQuery(args map[string]json.RawMessage) (url.Values, []openapi.Issue) {
	query := url.Values{}
	var issues []openapi.Issue
	for _, name := range slices.Sorted(maps.Keys(args)) {
		values := []json.RawMessage{args[name]}
		if object, ok := jsonText(args[name]); ok {
			query.Add(name, object)
			continue
		}
		if len(args[name]) > 0 && args[name][0] == '[' {
			if err := json.Unmarshal(args[name], &values); err != nil {
				values = []json.RawMessage{[]byte("{}")} // cannot be: it came out of valid JSON
			}
		}
		for _, value := range values {
			text, null, ok := scalar(value)
			switch {
			case !ok, null && len(values) > 1:
				issues = append(issues, openapi.Issue{In: "query", Path: name, Message: "must be a string, number, boolean, null, an object (which is sent as its JSON text), or a list of strings, numbers and booleans"})
			case !null:
				query.Add(name, text)
			}
		}
	}
	return query, issues
}

// jsonText is an object without blanks: a parameter such as `fields` is a text that holds one.
func jsonText(raw json.RawMessage) (text string, ok bool) {
	var b bytes.Buffer
	if len(raw) == 0 || raw[0] != '{' || json.Compact(&b, raw) != nil {
		return "", false
	}
	return b.String(), true
}

// scalar is the text of a JSON string, number or boolean.
func scalar(raw json.RawMessage) (text string, null, ok bool) {
	if len(raw) == 0 {
		return "", false, false
	}
	switch raw[0] {
	case '"':
		err := json.Unmarshal(raw, &text)
		return text, false, err == nil
	case 'n':
		return "", true, true
	case '{', '[':
		return "", false, false
	}
	return string(raw), false, true
}
