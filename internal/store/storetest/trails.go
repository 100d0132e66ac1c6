// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"time"

	"github.com/fiftyarms/platform/internal/store"
)

// The suite's calls leave their trails by themselves; a test that looks at one brings its own.

func (w *world) trail(t store.Trail) store.Trail {
	if t.ID == "" {
		t.ID = w.id("trail")
	}
	if t.Address == "" {
		t.Address = "192.0.2.7"
	}
	return t
}

func (w *world) SetUp(ctx context.Context, tokenHash string, f store.Founding) error {
	f.Trail = w.trail(f.Trail)
	return w.Store.SetUp(ctx, tokenHash, f)
}

func (w *world) CreateLogin(ctx context.Context, l store.Login) error {
	l.Trail = w.trail(l.Trail)
	return w.Store.CreateLogin(ctx, l)
}

func (w *world) RevokeKey(ctx context.Context, r store.Revocation) error {
	r.Trail = w.trail(r.Trail)
	return w.Store.RevokeKey(ctx, r)
}

func (w *world) DecideAccessRequest(ctx context.Context, publicID, digest string, d store.RequestDecision, collectBy time.Time) error {
	d.Trail = w.trail(d.Trail)
	return w.Store.DecideAccessRequest(ctx, publicID, digest, d, collectBy)
}

func (w *world) CollectKey(ctx context.Context, secretHash string, k store.Key) error {
	k.Trail = w.trail(k.Trail)
	return w.Store.CollectKey(ctx, secretHash, k)
}

func (w *world) DecidePermissionRequest(ctx context.Context, teamID, publicID, digest string, d store.PermissionDecision, liveSince time.Time) error {
	d.Trail = w.trail(d.Trail)
	return w.Store.DecidePermissionRequest(ctx, teamID, publicID, digest, d, liveSince)
}
