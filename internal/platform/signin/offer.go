// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/fiftyarms/platform/internal/platform/ask"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

// longestSecret bounds a secret and a key, in bytes, as the schema of key files does.
const longestSecret = 500

// readOffer reads the answer to an access request. The error says which part is not as it should be and shows none.
func readOffer(resp *client.Response, now time.Time) (*request, error) {
	r := &request{done: make(chan struct{})}
	if json.Unmarshal(resp.Body, &r.made) != nil {
		return nil, errors.New("not the members that one has")
	}
	m := r.made
	life, err := ask.Offer{PublicID: m.PublicID, ConfirmCode: m.ConfirmCode, ApprovalURL: m.ApprovalURL, ExpiresAt: m.ExpiresAt}.Check(now)
	if err != nil {
		return nil, err
	}
	r.until = now.Add(life)
	if r.secret = secret.New(m.Secret); !usable(r.secret) {
		return nil, errors.New("no usable secret")
	}
	return r, nil
}

// usable tells whether a key or secret can be sent and stored.
func usable(t secret.Text) bool { return t.Sendable() && len(t.Reveal()) <= longestSecret }
