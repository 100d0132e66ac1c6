// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"encoding/json"
	"fmt"

	"github.com/fiftyarms/platform/internal/platform/client"
)

// SignedOut is what every tool but plan_connect answers without a key.
type SignedOut struct{ Dashboard string }

func (e *SignedOut) Error() string {
	return fmt.Sprintf("Not signed in to %s. Call plan_connect first: it asks a person for access. No other dashboard tool works until then.", e.Dashboard)
}

// Revoked is what every tool answers once a person has revoked the key.
type Revoked struct {
	Dashboard string
	By, At    string // as the dashboard says it; "" when it does not
}

func (e *Revoked) Error() string {
	by, at := "A person", ""
	if e.By != "" {
		by = e.By
	}
	if e.At != "" {
		at = " at " + e.At
	}
	return fmt.Sprintf("Stop: %s revoked this session's key to %s%s. Commit the work in progress and end. No dashboard tool works any more in this session, plan_connect included; do not ask for access again.", by, e.Dashboard, at)
}

// codeRevoked is the one code of a 401 that is a person's decision.
const codeRevoked = "key_revoked"

func revokedIn(dashboard string, body []byte) *Revoked {
	var said struct {
		By any `json:"revoked_by"`
		At any `json:"revoked_at"`
	}
	halt := &Revoked{Dashboard: dashboard}
	if json.Unmarshal(body, &said) == nil { // what a drifting server leaves out is left out of the halt
		if by, ok := said.By.(string); ok {
			halt.By = client.Excerpt(by)
		}
		if at, ok := said.At.(string); ok {
			halt.At = client.Excerpt(at)
		}
	}
	return halt
}
