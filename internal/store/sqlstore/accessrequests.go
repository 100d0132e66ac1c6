// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"cmp"
	"context"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// CreateAccessRequest keeps a pending request. Its Status, Decision and KeyID are not read.
func (s *Store) CreateAccessRequest(ctx context.Context, r store.AccessRequest) error {
	const doing = "keep an access request"
	client, err := toJSON(r.Client)
	if err != nil {
		return fail(ctx, doing, err)
	}
	return fail(ctx, doing, s.writes.CreateAccessRequest(ctx, sqldb.CreateAccessRequestParams{
		PublicID: r.PublicID, SecretHash: r.SecretHash, TeamID: orNil(r.Team.ID), ByLink: bit(r.Team.ID == ""),
		Title: r.Title, Client: client, Address: r.Address, ConfirmCode: r.ConfirmCode, Digest: r.Digest,
		CreatedAt: ms(r.CreatedAt), ExpiresAt: ms(r.ExpiresAt),
	}))
}

// AccessRequest finds a request by its public id.
func (s *Store) AccessRequest(ctx context.Context, publicID string) (store.AccessRequest, error) {
	row, err := s.reads.AccessRequestByID(ctx, sqldb.AccessRequestByIDParams{PublicID: publicID})
	if err != nil {
		return store.AccessRequest{}, fail(ctx, "find an access request", err)
	}
	r, err := accessRequest(row)
	return r, fail(ctx, "read an access request", err)
}

// AccessRequestBySecret finds a request by the hash of its secret.
func (s *Store) AccessRequestBySecret(ctx context.Context, secretHash string) (store.AccessRequest, error) {
	row, err := s.reads.AccessRequestBySecret(ctx, sqldb.AccessRequestBySecretParams{SecretHash: secretHash})
	if err != nil {
		return store.AccessRequest{}, fail(ctx, "find an access request by its secret", err)
	}
	r, err := accessRequest(sqldb.AccessRequestByIDRow(row))
	return r, fail(ctx, "read an access request", err)
}

// ListAccessRequests answers a page of a team's requests, newest first.
func (s *Store) ListAccessRequests(ctx context.Context, q store.AccessRequestQuery) ([]store.AccessRequest, error) {
	if q.Limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	afterAt, afterID := after(q.After)
	rows, err := s.reads.ListAccessRequests(ctx, sqldb.ListAccessRequestsParams{
		TeamID: q.TeamID, Status: orNil(string(q.Status)), Waiting: bitOrNil(q.Waiting), Now: ms(q.Now),
		AfterAt: afterAt, AfterID: afterID, PageSize: int64(q.Limit),
	})
	if err != nil {
		return nil, fail(ctx, "list the access requests", err)
	}
	requests := make([]store.AccessRequest, len(rows))
	for i, row := range rows {
		if requests[i], err = accessRequest(sqldb.AccessRequestByIDRow(row)); err != nil {
			return nil, fail(ctx, "read an access request", err)
		}
	}
	return requests, nil
}

// DecideAccessRequest writes the decision if the request is pending and is the one that the person saw.
func (s *Store) DecideAccessRequest(ctx context.Context, publicID, digest string, d store.RequestDecision, collectBy time.Time) error {
	const doing = "decide an access request"
	var permissions *string
	var granted []dash.Permission // of an approval alone, whatever d names
	if d.Verdict == dash.RequestDecisionVerdictApproved {
		text, err := permissionsToJSON(d.Permissions)
		if err != nil {
			return fail(ctx, doing, err)
		}
		permissions, granted = &text, d.Permissions
	}
	return fail(ctx, doing, s.inTx(ctx, func(q *sqldb.Queries) error {
		decided, err := q.DecideAccessRequest(ctx, sqldb.DecideAccessRequestParams{
			PublicID: publicID, Digest: digest, Status: string(d.Verdict), TeamID: d.TeamID, CollectBy: ms(collectBy),
			DecidedAt: ms(d.At), DecidedBy: d.By.ID, DecidedByName: d.By.Name, Note: d.Note, Permissions: permissions,
		})
		if err != nil {
			return err
		}
		row, err := q.AccessRequestByID(ctx, sqldb.AccessRequestByIDParams{PublicID: publicID})
		if err != nil {
			return err
		}
		r, err := accessRequest(row)
		switch {
		case err != nil:
			return err
		case decided == 0 && r.Team.ID != "" && r.Team.ID != d.TeamID: // another team's is not there
			return store.ErrNotFound
		case decided == 0:
			return store.ErrConflict
		}
		return leave(ctx, q, d.TeamID, d.Trail, dash.AuditEntry{
			At: dash.At(d.At), Action: accessActions[d.Verdict], By: d.By, Permissions: granted, Note: orNil(d.Note),
			Subject: dash.AuditSubject{Kind: dash.AuditSubjectKindAccessRequest, ID: publicID, Name: cmp.Or(r.Title, r.Client.Name)},
		})
	}))
}

var accessActions = map[dash.RequestDecisionVerdict]dash.AuditAction{
	dash.RequestDecisionVerdictApproved:          dash.AuditActionAccessApproved,
	dash.RequestDecisionVerdictDenied:            dash.AuditActionAccessDenied,
	dash.RequestDecisionVerdictRevisionRequested: dash.AuditActionAccessSentBack,
}

// CollectKey makes the key of an approved request. The claim comes first: it makes a second call wait for the end of
// this one.
func (s *Store) CollectKey(ctx context.Context, secretHash string, k store.Key) error {
	return fail(ctx, "collect a key", s.inTx(ctx, func(q *sqldb.Queries) error {
		claimed, err := q.ClaimAccessRequest(ctx, sqldb.ClaimAccessRequestParams{
			SecretHash: secretHash, TeamID: k.TeamID, KeyID: k.ID, Now: ms(k.CreatedAt),
		})
		if err != nil {
			return err
		}
		if claimed == 0 {
			if _, err := q.AccessRequestBySecret(ctx, sqldb.AccessRequestBySecretParams{SecretHash: secretHash}); err != nil {
				return err
			}
			return store.ErrConflict
		}
		if err := createKey(ctx, q, k); err != nil {
			return err
		}
		row, err := q.KeyByID(ctx, sqldb.KeyByIDParams{TeamID: k.TeamID, ID: k.ID})
		if err != nil {
			return err
		}
		return leave(ctx, q, k.TeamID, k.Trail, dash.AuditEntry{
			At: dash.At(k.CreatedAt), Action: dash.AuditActionKeyIssued, By: dash.PersonRef{ID: k.OwnerID, Name: row.OwnerName},
			Permissions: k.Permissions, Subject: dash.AuditSubject{Kind: dash.AuditSubjectKindKey, ID: k.ID, Name: keyName(k)},
		})
	}))
}

// ForgetAccessRequests deletes the requests that ended before the given time without a key, and says how many.
func (s *Store) ForgetAccessRequests(ctx context.Context, before time.Time) (int64, error) {
	forgotten, err := s.writes.ForgetAccessRequests(ctx, sqldb.ForgetAccessRequestsParams{Before: ms(before)})
	return forgotten, fail(ctx, "forget the access requests that ended", err)
}

func accessRequest(row sqldb.AccessRequestByIDRow) (store.AccessRequest, error) {
	r := row.AccessRequest
	client, err := fromJSON[dash.AskingClient](r.Client)
	if err != nil {
		return store.AccessRequest{}, err
	}
	decision, err := accessDecision(r)
	if err != nil {
		return store.AccessRequest{}, err
	}
	var named store.Team
	if r.ByLink == 0 {
		named = store.Team{ID: orEmpty(r.TeamID), Slug: row.TeamSlug, Name: row.TeamName, CreatedAt: at(row.TeamCreatedAt)}
	}
	return store.AccessRequest{
		PublicID: r.PublicID, SecretHash: r.SecretHash, Team: named, Title: r.Title, Client: client, Address: r.Address,
		ConfirmCode: r.ConfirmCode, Digest: r.Digest, Status: dash.RequestStatus(r.Status),
		CreatedAt: at(r.CreatedAt), ExpiresAt: at(r.ExpiresAt), Decision: decision, KeyID: orEmpty(r.KeyID),
	}, nil
}

func accessDecision(r sqldb.AccessRequest) (*store.RequestDecision, error) {
	if r.DecidedAt == nil {
		return nil, nil
	}
	d := &store.RequestDecision{
		Verdict: dash.RequestDecisionVerdict(r.Status),
		By:      dash.PersonRef{ID: orEmpty(r.DecidedBy), Name: orEmpty(r.DecidedByName)},
		TeamID:  orEmpty(r.TeamID), At: at(*r.DecidedAt), Note: orEmpty(r.Note),
	}
	if r.Status == string(dash.RequestStatusClaimed) {
		d.Verdict = dash.RequestDecisionVerdictApproved // only what was approved is claimed
	}
	var err error
	if r.Permissions != nil {
		d.Permissions, err = fromJSON[[]dash.Permission](*r.Permissions)
	}
	return d, err
}
