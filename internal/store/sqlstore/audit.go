// SPDX-License-Identifier: Apache-2.0

package sqlstore

import (
	"context"
	"errors"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/sqldb"
	"github.com/fiftyarms/platform/internal/store"
)

// ListAudit answers a page of a team's audit log, newest first.
func (s *Store) ListAudit(ctx context.Context, q store.AuditQuery) ([]dash.AuditEntry, error) {
	if q.Limit <= 0 {
		return nil, nil // SQLite takes a negative limit for none
	}
	afterAt, afterID := after(q.After)
	var rows []string
	var err error
	if q.Action == "" {
		rows, err = s.reads.ListAudit(ctx, sqldb.ListAuditParams{TeamID: q.TeamID, AfterAt: afterAt, AfterID: afterID, PageSize: int64(q.Limit)})
	} else {
		rows, err = s.reads.ListAuditOfAction(ctx, sqldb.ListAuditOfActionParams{
			TeamID: q.TeamID, Action: string(q.Action), AfterAt: afterAt, AfterID: afterID, PageSize: int64(q.Limit),
		})
	}
	if err != nil {
		return nil, fail(ctx, "list the audit log", err)
	}
	entries := make([]dash.AuditEntry, len(rows))
	for i, content := range rows {
		if entries[i], err = fromJSON[dash.AuditEntry](content); err != nil {
			return nil, fail(ctx, "read an entry of the audit log", err)
		}
	}
	return entries, nil
}

// errNoTrail is a fault of the caller: what is to be audited says nothing of itself.
var errNoTrail = errors.New("a change that is audited needs a trail with an id")

// leave writes the entry of a change to the audit log, in the transaction of the change.
func leave(ctx context.Context, q *sqldb.Queries, teamID string, trail store.Trail, e dash.AuditEntry) error {
	if trail.ID == "" {
		return errNoTrail
	}
	e.ID, e.Address = trail.ID, trail.Address
	content, err := toJSON(e)
	if err != nil {
		return err
	}
	return q.CreateAudit(ctx, sqldb.CreateAuditParams{TeamID: teamID, ID: e.ID, At: ms(e.At.Time), Action: string(e.Action), Content: content})
}

// keyName is what a key is called in the audit log.
func keyName(k store.Key) string { return k.Prefix + " " + k.Title }
