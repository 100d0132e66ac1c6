// SPDX-License-Identifier: Apache-2.0

package work

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// merge is a thing with the members that a patch names, as JSON Merge Patch (RFC 7396) has it at the top: a member that
// is null goes, any other takes the place of what was there, whole. Members in apart are not merged. A member that the
// thing does not know is an error: the contract's edit would not fit what it edits.
func merge[T any](thing T, patch any, apart ...string) (T, error) {
	members, err := membersOf(thing)
	if err != nil {
		return thing, err
	}
	changed, err := membersOf(patch)
	if err != nil {
		return thing, err
	}
	for name, value := range changed {
		switch {
		case slices.Contains(apart, name):
		case string(value) == "null":
			delete(members, name)
		default:
			members[name] = value
		}
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return thing, fmt.Errorf("merge: %w", err)
	}
	var out T
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return thing, fmt.Errorf("merge into %T: %w", thing, err)
	}
	return out, nil
}

// membersOf is a struct as the members of its JSON.
func membersOf(v any) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("members of %T: %w", v, err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("members of %T: %w", v, err)
	}
	return members, nil
}
