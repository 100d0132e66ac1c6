// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"math"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// KeyByHash finds a key, whatever its state, with its team.
func (s *Store) KeyByHash(ctx context.Context, hash string) (store.Key, store.Team, error) {
	row, err := s.reads.KeyByHash(ctx, sqldb.KeyByHashParams{Hash: hash})
	if err != nil {
		return store.Key{}, store.Team{}, fail(ctx, "find a key", err)
	}
	k, err := key(row.AgentKey, row.OwnerName)
	return k, team(row.Team), fail(ctx, "read a key", err)
}

// TouchKey notes a use, unless a later one is noted.
func (s *Store) TouchKey(ctx context.Context, id string, at time.Time) error {
	return fail(ctx, "note the use of a key", s.writes.TouchKey(ctx, sqldb.TouchKeyParams{ID: id, UsedAt: ms(at)}))
}

// ListKeys answers a page of keys, newest first.
func (s *Store) ListKeys(ctx context.Context, q store.KeyQuery) ([]store.Key, error) {
	if q.Limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	afterAt, afterID := after(q.After)
	var rows []sqldb.ListKeysRow
	var err error
	if q.OwnerID == "" {
		rows, err = s.reads.ListKeys(ctx, sqldb.ListKeysParams{TeamID: q.TeamID, AfterAt: afterAt, AfterID: afterID, PageSize: int64(q.Limit)})
	} else {
		var owned []sqldb.ListOwnerKeysRow
		owned, err = s.reads.ListOwnerKeys(ctx, sqldb.ListOwnerKeysParams{TeamID: q.TeamID, OwnerID: q.OwnerID, AfterAt: afterAt, AfterID: afterID, PageSize: int64(q.Limit)})
		for _, row := range owned {
			rows = append(rows, sqldb.ListKeysRow(row))
		}
	}
	if err != nil {
		return nil, fail(ctx, "list the keys", err)
	}
	keys := make([]store.Key, len(rows))
	for i, row := range rows {
		if keys[i], err = key(row.AgentKey, row.OwnerName); err != nil {
			return nil, fail(ctx, "read a key", err)
		}
	}
	return keys, nil
}

// RevokeKey revokes a key, and tells of it in the team's log the first time.
func (s *Store) RevokeKey(ctx context.Context, r store.Revocation) error {
	return fail(ctx, "revoke a key", s.inTx(ctx, func(q *sqldb.Queries) error {
		if _, err := q.LockLog(ctx, sqldb.LockLogParams{TeamID: r.TeamID}); err != nil {
			return err
		}
		revoked, err := q.RevokeKey(ctx, sqldb.RevokeKeyParams{
			ID: r.KeyID, TeamID: r.TeamID, OwnerID: orNil(r.OwnerID),
			RevokedAt: ms(r.At), RevokedBy: r.By.ID, RevokedByName: r.By.Name,
		})
		if err != nil {
			return err
		}
		if revoked > 0 {
			_, err := appendEvents(ctx, q, r.TeamID, store.Event{KeyID: r.KeyID, Event: dash.Event{
				Kind: dash.EventKindKeyRevoked, At: dash.At(r.At),
				By: dash.Actor{Kind: dash.ActorKindPerson, Name: r.By.Name, Person: r.By},
			}})
			if err != nil {
				return err
			}
			row, err := q.KeyByID(ctx, sqldb.KeyByIDParams{TeamID: r.TeamID, ID: r.KeyID})
			if err != nil {
				return err
			}
			return leave(ctx, q, r.TeamID, r.Trail, dash.AuditEntry{
				At: dash.At(r.At), Action: dash.AuditActionKeyRevoked, By: r.By,
				Subject: dash.AuditSubject{Kind: dash.AuditSubjectKindKey, ID: r.KeyID, Name: row.AgentKey.Prefix + " " + row.AgentKey.Title},
			})
		}
		// Revoked before, or not the caller's.
		found, err := q.CountKeys(ctx, sqldb.CountKeysParams{ID: r.KeyID, TeamID: r.TeamID, OwnerID: orNil(r.OwnerID)})
		if err == nil && found == 0 {
			err = store.ErrNotFound
		}
		return err
	}))
}

func createKey(ctx context.Context, q *sqldb.Queries, k store.Key) error {
	permissions, err := permissionsToJSON(k.Permissions)
	if err != nil {
		return err
	}
	return q.CreateKey(ctx, sqldb.CreateKeyParams{
		ID: k.ID, TeamID: k.TeamID, OwnerID: k.OwnerID, Hash: k.Hash, Prefix: k.Prefix, Title: k.Title,
		Permissions: permissions, CreatedAt: ms(k.CreatedAt), LastUsedAt: ms(k.LastUsedAt),
	})
}

func key(k sqldb.AgentKey, ownerName string) (store.Key, error) {
	permissions, err := fromJSON[[]dash.Permission](k.Permissions)
	return store.Key{
		ID: k.ID, TeamID: k.TeamID, Hash: k.Hash, Prefix: k.Prefix, Title: k.Title,
		OwnerID: k.OwnerID, OwnerName: ownerName, Permissions: permissions,
		CreatedAt: at(k.CreatedAt), LastUsedAt: at(k.LastUsedAt), RevokedAt: atOrZero(k.RevokedAt),
		RevokedBy: dash.PersonRef{ID: orEmpty(k.RevokedBy), Name: orEmpty(k.RevokedByName)},
	}, err
}

// after is the place in a list as queries compare it: the start is after the end of time.
func after(p store.Position) (at int64, id string) {
	if p.ID == "" && p.At.IsZero() {
		return math.MaxInt64, ""
	}
	return ms(p.At), p.ID
}
