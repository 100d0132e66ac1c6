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
func StatusAt(written dash.RequestStatus, expiresAt, now time.Time) dash.RequestStatus {
	waiting := written == dash.RequestStatusPending || written == dash.RequestStatusApproved
	if waiting && !now.Before(expiresAt) {
		return dash.RequestStatusExpired
	}
	return written
}

// PermissionStatusAt is StatusAt for a permission request: what was granted is held, and does not expire.
func PermissionStatusAt(written dash.RequestStatus, expiresAt, now time.Time) dash.RequestStatus {
	if written == dash.RequestStatusPending {
		return StatusAt(written, expiresAt, now)
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

// Kind is what a request asks for.
type Kind string

// The kinds.
const (
	Access     Kind = "access"
	Permission Kind = "permission"
)

// Undecided says why a decision on a request with this status and digest did not take, as the contract's refusal. It
// is nil if it should have taken.
func Undecided(kind Kind, status dash.RequestStatus, digest, named string) error {
	switch {
	case status != dash.RequestStatusPending:
		return dash.NotPendingRefusal{
			Message: fmt.Sprintf("this request is already %s", spoken[status]),
			Status:  status,
			Next:    next[kind][status],
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

var spoken = map[dash.RequestStatus]string{
	dash.RequestStatusApproved:          "approved",
	dash.RequestStatusClaimed:           "approved, and its key collected",
	dash.RequestStatusDenied:            "denied",
	dash.RequestStatusRevisionRequested: "sent back for changes",
	dash.RequestStatusExpired:           "expired",
}

var next = map[Kind]map[dash.RequestStatus]string{
	Access: {
		dash.RequestStatusApproved:          "nothing: the agent collects the key by itself",
		dash.RequestStatusClaimed:           "revoke the key if the agent should not have it",
		dash.RequestStatusDenied:            "ask the agent to request access again",
		dash.RequestStatusRevisionRequested: "decide on the agent's next request",
		dash.RequestStatusExpired:           "ask the agent to request access again",
	},
	Permission: {
		dash.RequestStatusApproved:          "nothing: the key holds it; revoke the key if the agent should not have it",
		dash.RequestStatusDenied:            "ask the agent to request the permission again",
		dash.RequestStatusRevisionRequested: "decide on the agent's next request",
		dash.RequestStatusExpired:           "ask the agent to request the permission again",
	},
}
