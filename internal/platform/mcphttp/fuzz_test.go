// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzRead: whatever a client sends is refused, or is one line that the server reads as the same message.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a\nb","method":"tools/call","params":{"_meta":{"progressToken":"p"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":-7}}`, `{"id":1,"result":{}}`, `[]`, `null`, `{"id":-}`,
		"{\n\"jsonrpc\":\"2.0\",\"ID\":1,\"id\":2,\"method\":\"x\",\"params\":[1]}", `{"jsonrpc":"2.0","id":1e3,"method":"x"}`, `{"jsonrpc":"2.0","id":null,"method":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := read(body)
		if err != nil {
			if m.lineFeed != nil {
				t.Errorf("%q: refused, and %q", body, m.lineFeed)
			}
			return
		}
		if !json.Valid(m.lineFeed) || bytes.IndexByte(m.lineFeed, '\n') != len(m.lineFeed)-1 {
			t.Errorf("%q is not one line: %q", body, m.lineFeed)
		}
		if m.kind == kindRequest && (m.id == "" || m.method == "") && !bytes.Contains(body, []byte(`""`)) {
			t.Errorf("%q: %+v", body, m)
		}
		if again, _, ok := peek(m.lineFeed); !ok || again.id != m.id || again.kind != m.kind || again.method != m.method {
			t.Errorf("%q: %+v, then %+v", body, m, again)
		}
	})
}
