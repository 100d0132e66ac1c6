// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"context"
	"time"

	"github.com/fiftyarms/platform/internal/dashboard"
	"github.com/fiftyarms/platform/internal/store"
)

// elsewhere puts a person into another team than the rows do: there is only one team to sign up for yet.
func elsewhere(name string) func(*dashboard.Config) {
	return func(cfg *dashboard.Config) { cfg.Store = foreigner{cfg.Store, name} }
}

type foreigner struct {
	store.Store
	name string
}

func (f foreigner) Login(ctx context.Context, hash string, now time.Time) (store.Login, store.Person, store.Team, error) {
	login, person, team, err := f.Store.Login(ctx, hash, now)
	if person.Name == f.name {
		team = store.Team{ID: "ffffffffffffffffffffffffffffffff", Slug: "other", Name: "Other"}
		login.TeamID, person.TeamID = team.ID, team.ID
	}
	return login, person, team, err
}
