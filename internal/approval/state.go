// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// How long a request waits.
const (
	DecideWithin  = 10 * time.Minute // for a person, from when it was made
	CollectWithin = 10 * time.Minute // for the asker to collect the key, from the approval
	ForgetAfter   = 24 * time.Hour   // from its end, before it is deleted
)

// StatusAt is the status of a request at a time, from the status that was written and the time until which it waits.
func StatusAt(written dash.AccessRequestStatus, expiresAt, now time.Time) dash.AccessRequestStatus {
	waiting := written == dash.AccessRequestStatusPending || written == dash.AccessRequestStatusApproved
	if waiting && !now.Before(expiresAt) {
		return dash.AccessRequestStatusExpired
	}
	return written
}

// VisibleTo says whether a person of the team viewer may see and decide a request that was addressed to one team and
// decided by another; "" is none. What nobody was named in is open to whoever has its link, until a team decides it.
func VisibleTo(viewer, addressedTo, decidedBy string) bool {
	for _, team := range []string{addressedTo, decidedBy} {
		if team != "" {
			return team == viewer
		}
	}
	return true
}

// Undecided says why a decision on a request with this status and digest did not take, as the contract's refusal. It
// is nil if it should have taken.
func Undecided(status dash.AccessRequestStatus, digest, named string) error {
	switch {
	case status != dash.AccessRequestStatusPending:
		return dash.NotPendingRefusal{
			Message: fmt.Sprintf("this request is already %s", spoken[status]),
			Status:  status,
			Next:    next[status],
		}
	case digest != named:
		return dash.DigestMismatchRefusal{
			Message: "the request is not the one that was shown",
			Digest:  digest,
			Next:    "read the request again and decide on what it says now",
		}
	}
	return nil
}

var spoken = map[dash.AccessRequestStatus]string{
	dash.AccessRequestStatusApproved:          "approved",
	dash.AccessRequestStatusClaimed:           "approved, and its key collected",
	dash.AccessRequestStatusDenied:            "denied",
	dash.AccessRequestStatusRevisionRequested: "sent back for changes",
	dash.AccessRequestStatusExpired:           "expired",
}

var next = map[dash.AccessRequestStatus]string{
	dash.AccessRequestStatusApproved:          "nothing: the agent collects the key by itself",
	dash.AccessRequestStatusClaimed:           "revoke the key if the agent should not have it",
	dash.AccessRequestStatusDenied:            "ask the agent to request access again",
	dash.AccessRequestStatusRevisionRequested: "decide on the agent's next request",
	dash.AccessRequestStatusExpired:           "ask the agent to request access again",
}
