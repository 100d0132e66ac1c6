// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// CreatePermissionRequest keeps a pending request of a key that is live. Its Status and Decision are not read.
func (s *Store) CreatePermissionRequest(ctx context.Context, r store.PermissionRequest, liveSince time.Time) error {
	const doing = "keep a permission request"
	permissions, err := permissionsToJSON(r.Permissions)
	if err != nil {
		return fail(ctx, doing, err)
	}
	return fail(ctx, doing, s.inTx(ctx, func(q *sqldb.Queries) error {
		kept, err := q.CreatePermissionRequest(ctx, sqldb.CreatePermissionRequestParams{
			PublicID: r.PublicID, TeamID: r.Key.TeamID, KeyID: r.Key.ID, OwnerID: r.Key.OwnerID, Permissions: permissions,
			Reason: r.Reason, Address: r.Address, ConfirmCode: r.ConfirmCode, Digest: r.Digest,
			CreatedAt: ms(r.CreatedAt), ExpiresAt: ms(r.ExpiresAt), LiveSince: ms(liveSince),
		})
		if err != nil || kept > 0 {
			return err
		}
		found, err := q.CountKeys(ctx, sqldb.CountKeysParams{ID: r.Key.ID, TeamID: r.Key.TeamID, OwnerID: &r.Key.OwnerID})
		switch {
		case err != nil:
			return err
		case found == 0:
			return store.ErrNotFound
		}
		return store.ErrConflict
	}))
}

// PermissionRequest finds a request of a team, with its key.
func (s *Store) PermissionRequest(ctx context.Context, teamID, publicID string) (store.PermissionRequest, error) {
	row, err := s.reads.PermissionRequestByID(ctx, sqldb.PermissionRequestByIDParams{TeamID: teamID, PublicID: publicID})
	if err != nil {
		return store.PermissionRequest{}, fail(ctx, "find a permission request", err)
	}
	r, err := permissionRequest(row)
	return r, fail(ctx, "read a permission request", err)
}

// ListPermissionRequests answers a page of what the keys of one owner asked for, newest first.
func (s *Store) ListPermissionRequests(ctx context.Context, q store.PermissionRequestQuery) ([]store.PermissionRequest, error) {
	if q.Limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	afterAt, afterID := after(q.After)
	rows, err := s.reads.ListPermissionRequests(ctx, sqldb.ListPermissionRequestsParams{
		TeamID: q.TeamID, OwnerID: q.OwnerID, Status: orNil(string(q.Status)), Waiting: bitOrNil(q.Waiting), Now: ms(q.Now),
		AfterAt: afterAt, AfterID: afterID, PageSize: int64(q.Limit),
	})
	if err != nil {
		return nil, fail(ctx, "list the permission requests", err)
	}
	requests := make([]store.PermissionRequest, len(rows))
	for i, row := range rows {
		if requests[i], err = permissionRequest(sqldb.PermissionRequestByIDRow(row)); err != nil {
			return nil, fail(ctx, "read a permission request", err)
		}
	}
	return requests, nil
}

// DecidePermissionRequest writes the decision of the key's owner, and with an approval gives the key what it asked for.
// Locking the log comes first: it makes another grant to the same key wait for the end of this one.
func (s *Store) DecidePermissionRequest(ctx context.Context, teamID, publicID, digest string, d store.PermissionDecision, liveSince time.Time) error {
	const doing = "decide a permission request"
	if err := storable(d.By.ID); err != nil { // it is compared here, not by the database
		return fail(ctx, doing, err)
	}
	return fail(ctx, doing, s.inTx(ctx, func(q *sqldb.Queries) error {
		if _, err := q.LockLog(ctx, sqldb.LockLogParams{TeamID: teamID}); err != nil {
			return err
		}
		row, err := q.PermissionRequestByID(ctx, sqldb.PermissionRequestByIDParams{TeamID: teamID, PublicID: publicID})
		if err != nil {
			return err
		}
		r, err := permissionRequest(row)
		switch {
		case err != nil:
			return err
		case r.Key.OwnerID != d.By.ID: // another's is not there
			return store.ErrNotFound
		}
		decided, err := q.DecidePermissionRequest(ctx, sqldb.DecidePermissionRequestParams{
			PublicID: publicID, TeamID: teamID, OwnerID: d.By.ID, Digest: digest, Status: string(d.Verdict),
			DecidedAt: ms(d.At), DecidedByName: d.By.Name, Note: d.Note,
		})
		if err != nil {
			return err
		}
		if decided == 0 {
			return store.ErrConflict
		}
		if d.Verdict == dash.RequestDecisionVerdictApproved {
			if err := grant(ctx, q, r, d, liveSince); err != nil {
				return err
			}
		}
		return leave(ctx, q, teamID, d.Trail, dash.AuditEntry{
			At: dash.At(d.At), Action: permissionActions[d.Verdict], By: d.By, Permissions: r.Permissions, Note: orNil(d.Note),
			Subject: dash.AuditSubject{Kind: dash.AuditSubjectKindPermissionRequest, ID: publicID, Name: keyName(r.Key)},
		})
	}))
}

var permissionActions = map[dash.RequestDecisionVerdict]dash.AuditAction{
	dash.RequestDecisionVerdictApproved:          dash.AuditActionPermissionApproved,
	dash.RequestDecisionVerdictDenied:            dash.AuditActionPermissionDenied,
	dash.RequestDecisionVerdictRevisionRequested: dash.AuditActionPermissionSentBack,
}

// grant adds what a request asked for to its key, and tells the key's streams.
func grant(ctx context.Context, q *sqldb.Queries, r store.PermissionRequest, d store.PermissionDecision, liveSince time.Time) error {
	held := slices.Clone(r.Key.Permissions)
	var names []string
	for _, p := range r.Permissions {
		if !slices.Contains(held, p) {
			held = append(held, p)
		}
		names = append(names, string(p))
	}
	permissions, err := permissionsToJSON(held)
	if err != nil {
		return err
	}
	granted, err := q.GrantKey(ctx, sqldb.GrantKeyParams{TeamID: r.Key.TeamID, ID: r.Key.ID, Permissions: permissions, LiveSince: ms(liveSince)})
	if err != nil {
		return err
	}
	if granted == 0 { // revoked, or lapsed
		return store.ErrConflict
	}
	to := strings.Join(names, ", ")
	_, err = appendEvents(ctx, q, r.Key.TeamID, store.Event{KeyID: r.Key.ID, Event: dash.Event{
		Kind: dash.EventKindKeyGranted, At: dash.At(d.At), Changes: []dash.Change{{Field: "permissions", To: &to}},
		By: dash.Actor{Kind: dash.ActorKindPerson, Name: d.By.Name, Person: d.By},
	}})
	return err
}

// ForgetPermissionRequests deletes the requests that ended before the given time, and says how many.
func (s *Store) ForgetPermissionRequests(ctx context.Context, before time.Time) (int64, error) {
	forgotten, err := s.writes.ForgetPermissionRequests(ctx, sqldb.ForgetPermissionRequestsParams{Before: ms(before)})
	return forgotten, fail(ctx, "forget the permission requests that ended", err)
}

func permissionRequest(row sqldb.PermissionRequestByIDRow) (store.PermissionRequest, error) {
	r := row.PermissionRequest
	k, err := key(row.AgentKey, row.OwnerName)
	if err != nil {
		return store.PermissionRequest{}, err
	}
	permissions, err := fromJSON[[]dash.Permission](r.Permissions)
	out := store.PermissionRequest{
		PublicID: r.PublicID, Key: k, Permissions: permissions, Reason: r.Reason, Address: r.Address, ConfirmCode: r.ConfirmCode,
		Digest: r.Digest, Status: dash.RequestStatus(r.Status), CreatedAt: at(r.CreatedAt), ExpiresAt: at(r.ExpiresAt),
	}
	if r.DecidedAt != nil {
		out.Decision = &store.PermissionDecision{
			Verdict: dash.RequestDecisionVerdict(r.Status), By: dash.PersonRef{ID: r.OwnerID, Name: orEmpty(r.DecidedByName)},
			At: at(*r.DecidedAt), Note: orEmpty(r.Note),
		}
	}
	return out, err
}
