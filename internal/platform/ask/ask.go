// SPDX-License-Identifier: Apache-2.0

// Package ask is what asking a person has in common, whether for a key or for more permissions: the offer that goes
// before the person, and the wait for what they decide.
package ask

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/fiftyarms/platform/gen/dash"
)

var (
	confirmCode = regexp.MustCompile(`^[A-Za-z0-9-]{4,32}$`)
	publicID    = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,200}$`)
)

const (
	longestLink = 2048 // bytes
	longestLife = 366 * 24 * time.Hour
	usualLife   = 10 * time.Minute
)

// An Offer is what a dashboard answers to who asks: a code to compare and a link to follow, until it lapses. Anything
// could stand there, so it has to have its form before anybody sees it.
type Offer struct {
	PublicID, ConfirmCode, ApprovalURL string
	ExpiresAt                          dash.Time
}

// Check refuses an offer that no person may be shown, and says how long the request lives, as far as this machine's
// clock can tell. The error says which part is not as it should be and shows none.
func (o Offer) Check(now time.Time) (life time.Duration, err error) {
	life = lifetime(o.ExpiresAt, now)
	switch {
	case !publicID.MatchString(o.PublicID) || strings.Trim(o.PublicID, ".") == "": // which would be another path
		return 0, errors.New("no usable publicId")
	case !confirmCode.MatchString(o.ConfirmCode):
		return 0, errors.New("a confirmCode that is not 4 to 32 letters, digits and hyphens")
	case !isLink(o.ApprovalURL):
		return 0, errors.New("an approvalUrl that is not a plain http or https link")
	case o.ExpiresAt.Year() < 2000 || life > longestLife:
		return 0, errors.New("an expiresAt that is missing or years away")
	}
	return life, nil
}

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

// lifetime is how long a request lives. One that is over before it began tells that the clocks disagree; the dashboard,
// which says so itself when it lapses, is then the only judge for a while.
func lifetime(expires dash.Time, now time.Time) time.Duration {
	if life := expires.Sub(now); life > 0 {
		return life
	}
	return usualLife
}

const (
	minRetry = time.Second // of a 429; also of one that does not say
	maxRetry = time.Minute
)

// RetryAfter is how long a 429 wants to be left alone: seconds or a date, from 1 s, which is also for one that does not
// say, to 1 min.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	wait := time.Duration(0)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		wait = time.Duration(min(seconds, maxRetry.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, minRetry), maxRetry)
}
