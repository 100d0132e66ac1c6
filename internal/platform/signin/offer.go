// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"time"
	"unicode"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

// What an access request offers goes before a person: a code to compare and a link to follow. Anything could stand
// there, so it has to have its form before anybody sees it.

var (
	confirmCode = regexp.MustCompile(`^[A-Za-z0-9-]{4,32}$`)
	publicID    = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,200}$`)
)

const (
	longestLink   = 2048 // bytes
	longestSecret = 500  // bytes; also of a key, as the schema of key files has it
	longestLife   = 366 * 24 * time.Hour
	usualLife     = 10 * time.Minute
)

// readOffer reads the answer to an access request. The error says which part is not as it should be and shows none.
func readOffer(resp *client.Response, now time.Time) (*request, error) {
	r := &request{done: make(chan struct{})}
	if json.Unmarshal(resp.Body, &r.made) != nil {
		return nil, errors.New("not the members that one has")
	}
	r.secret = secret.New(r.made.Secret)
	life := lifetime(r.made.ExpiresAt, now)
	r.until = now.Add(life)
	switch {
	case !publicID.MatchString(r.made.PublicID):
		return nil, errors.New("no usable publicId")
	case !usable(r.secret):
		return nil, errors.New("no usable secret")
	case !confirmCode.MatchString(r.made.ConfirmCode):
		return nil, errors.New("a confirmCode that is not 4 to 32 letters, digits and hyphens")
	case !isLink(r.made.ApprovalURL):
		return nil, errors.New("an approvalUrl that is not a plain http or https link")
	case r.made.ExpiresAt.Year() < 2000 || life > longestLife:
		return nil, errors.New("an expiresAt that is missing or years away")
	}
	return r, nil
}

// usable tells whether a key or secret can be sent and stored.
func usable(t secret.Text) bool { return t.Sendable() && len(t.Reveal()) <= longestSecret }

// isLink tells whether a person can be sent to an address, and sees where it leads. It may be another host than the
// dashboard's: people may reach it under another name than this machine does.
func isLink(address string) bool {
	if len(address) > longestLink || containsHidden(address) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// containsHidden tells of blanks, controls, and marks that change how the text around them looks.
func containsHidden(text string) bool {
	for _, r := range text {
		if r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return true
		}
	}
	return false
}

// lifetime is how long a request lives, as far as this machine's clock can tell. A request that is over before it began
// tells that the clocks disagree; the dashboard, which says so itself when it lapses, is then the only judge for a while.
func lifetime(expires dash.Time, now time.Time) time.Duration {
	if life := expires.Sub(now); life > 0 {
		return life
	}
	return usualLife
}
