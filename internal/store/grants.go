// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// PermissionRequest is a key asking its owner for more.
type PermissionRequest struct {
	PublicID    string
	Key         Key // when it is kept only TeamID, ID and OwnerID are read; read back it is the key as it is now
	Permissions []dash.Permission
	Reason      string
	Address     string
	ConfirmCode string
	Digest      string
	Status      dash.RequestStatus // as written: pending, approved, denied or revision_requested
	CreatedAt   time.Time
	ExpiresAt   time.Time // of the decision
	Decision    *PermissionDecision
}

// PermissionDecision is what the key's owner made of a permission request.
type PermissionDecision struct {
	Verdict dash.RequestDecisionVerdict
	By      dash.PersonRef
	At      time.Time
	Note    string
	Trail   Trail // not read back
}

// PermissionRequests keeps what keys ask their owners for. A request is a team's and of one key.
type PermissionRequests interface {
	// CreatePermissionRequest keeps a pending request. ErrConflict where the key is revoked, or was used last before
	// liveSince; ErrNotFound where its owner has no such key.
	CreatePermissionRequest(ctx context.Context, r PermissionRequest, liveSince time.Time) error
	// PermissionRequest finds a request of a team, with its key.
	PermissionRequest(ctx context.Context, teamID, publicID string) (PermissionRequest, error)
	// ListPermissionRequests answers at most limit requests of the keys of one owner, newest first.
	ListPermissionRequests(ctx context.Context, q PermissionRequestQuery) ([]PermissionRequest, error)
	// DecidePermissionRequest writes the decision of the key's owner, d.By, if the request is pending at d.At and its
	// digest is the one named; one statement decides, so of two racing decisions one wins. An approval adds what was asked
	// to the key, which has to be live (not revoked, used at or after liveSince), and tells of it in the team's log with
	// key.granted, all or nothing. ErrConflict otherwise; ErrNotFound where d.By owns no key with such a request.
	DecidePermissionRequest(ctx context.Context, teamID, publicID, digest string, d PermissionDecision, liveSince time.Time) error
	// ForgetPermissionRequests deletes the requests that were decided, or expired, before the given time.
	ForgetPermissionRequests(ctx context.Context, before time.Time) (int64, error)
}

// PermissionRequestQuery asks for a page of permission requests. Status may be expired; that, and what waits, is judged
// at Now.
type PermissionRequestQuery struct {
	TeamID  string
	OwnerID string
	Status  dash.RequestStatus // "" is any
	Waiting *bool              // whether a decision is still possible; nil is either
	Now     time.Time
	After   Position
	Limit   int
}

// Trail is what an entry of the audit log has that the change it tells of does not: its id, which is fresh, and where
// the call came from. A change that says it leaves a trail writes its entry with it, both or neither.
type Trail struct {
	ID      string
	Address string
}

// Audit reads who let whom do what. The entries are written by the changes themselves: SetUp (team.set_up), CreateLogin
// (person.signed_in), DecideAccessRequest (access.*), CollectKey (key.issued, by the key's owner), RevokeKey
// (key.revoked) and DecidePermissionRequest (permission.*).
type Audit interface {
	// ListAudit answers at most limit entries of a team, newest first.
	ListAudit(ctx context.Context, q AuditQuery) ([]dash.AuditEntry, error)
}

// AuditQuery asks for a page of the audit log.
type AuditQuery struct {
	TeamID string
	Action dash.AuditAction // "" is any
	After  Position
	Limit  int
}
