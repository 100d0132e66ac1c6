// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"crypto/subtle"
	"net/http"

	"github.com/fiftyarms/platform/gen/dash"
)

// sameSite refuses what a page of another site made a browser send. Keys are out of it: no browser adds one by itself.
// Signing in is in it though no cookie is needed: a person who is signed in as somebody else tells them everything.
func (g *guard) sameSite(c *Call, r *http.Request) error {
	byCookie := c.Principal != nil && c.Principal.Kind == dash.MeKindPerson
	if safe(r.Method) || !byCookie && !signsIn(c.Operation) {
		return nil
	}
	if g.origins.Check(r) != nil {
		return dash.CrossSiteRefusal{Message: "a page of another site sent this call"}
	}
	if byCookie && !sameSecret(r.Header.Get("X-CSRF-Token"), c.Principal.CSRFToken) {
		return dash.CrossSiteRefusal{Message: "the call carries no X-CSRF-Token of this session"}
	}
	return nil
}

// signsIn says whether an operation makes somebody out of nobody.
func signsIn(op dash.Operation) bool {
	return op.Permission == dash.Public && op.Audience == dash.AudiencePerson
}

// sameSecret takes as long for a near miss as for a far one. No secret is empty.
func sameSecret(given, want string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// safe says whether a method only reads.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
