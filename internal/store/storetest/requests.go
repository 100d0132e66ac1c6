// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/store"
)

var requests = []test{
	{"a request is found by its id and by its secret", func(w *world) {
		named := w.request(w.team("acme").Team)
		linked := w.request(store.Team{})
		for _, want := range []store.AccessRequest{named, linked} {
			got, err := w.AccessRequest(w.ctx(), want.PublicID)
			w.must(err)
			w.same("by its id", got, want)
			got, err = w.AccessRequestBySecret(w.ctx(), want.SecretHash)
			w.must(err)
			w.same("by its secret", got, want)
		}
		for _, ref := range []string{"", "none", strings.ToUpper(named.PublicID)} {
			_, err := w.AccessRequest(w.ctx(), ref)
			w.refused(err, store.ErrNotFound)
			_, err = w.AccessRequestBySecret(w.ctx(), ref)
			w.refused(err, store.ErrNotFound)
		}
		// The one is no way to the other.
		_, err := w.AccessRequest(w.ctx(), named.SecretHash)
		w.refused(err, store.ErrNotFound)
		_, err = w.AccessRequestBySecret(w.ctx(), named.PublicID)
		w.refused(err, store.ErrNotFound)
	}},

	{"what the asker left out stays out", func(w *world) {
		r := w.asking(store.Team{})
		empty := ""
		r.Title, r.Client = "", dash.AskingClient{Name: "x", Version: &empty}
		w.must(w.CreateAccessRequest(w.ctx(), r))
		got, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		w.same("the request", got, r)
	}},

	{"a request begins pending, whatever it says of itself", func(w *world) {
		f := w.team("acme")
		r := w.asking(f.Team)
		r.Status = dash.RequestStatusApproved
		r.KeyID = "smuggled"
		d := verdict(f.Person, dash.RequestDecisionVerdictApproved)
		r.Decision = &d
		w.must(w.CreateAccessRequest(w.ctx(), r))
		r.Status, r.KeyID, r.Decision = dash.RequestStatusPending, "", nil
		got, err := w.AccessRequest(w.ctx(), r.PublicID)
		w.must(err)
		w.same("the request", got, r)
	}},

	{"an id and a secret are taken once, and a named team is there", func(w *world) {
		team := w.team("acme").Team
		r := w.request(team)
		twin := w.asking(team)
		twin.PublicID = r.PublicID
		w.refused(w.CreateAccessRequest(w.ctx(), twin), store.ErrDuplicate)
		twin = w.asking(team)
		twin.SecretHash = r.SecretHash
		w.refused(w.CreateAccessRequest(w.ctx(), twin), store.ErrDuplicate)
		w.refused(w.CreateAccessRequest(w.ctx(), w.asking(store.Team{ID: "none"})), store.ErrNotFound)
	}},

	{"a list holds what named the team and what its people decided", func(w *world) {
		acme, bolt := w.team("acme"), w.team("bolt")
		named := w.request(acme.Team)
		linked := w.request(store.Team{})
		w.request(bolt.Team)
		list := func(f store.Founding) []string {
			page, err := w.ListAccessRequests(w.ctx(), store.AccessRequestQuery{TeamID: f.Team.ID, Now: start, Limit: 10})
			w.must(err)
			return requestIDs(page)
		}
		w.same("before the decision", list(acme), []string{named.PublicID})
		w.must(w.DecideAccessRequest(w.ctx(), linked.PublicID, linked.Digest, verdict(acme.Person, dash.RequestDecisionVerdictDenied), collectBy))
		w.same("after it", list(acme), []string{linked.PublicID, named.PublicID})
	}},

	{"pages of every size hold each request once, newest first, whoever shares a millisecond", func(w *world) {
		team := w.team("acme").Team
		var want []store.AccessRequest
		for _, at := range []time.Duration{2, 2, 2, 1, 3, 3, 2} {
			r := w.asking(team)
			r.CreatedAt = after(at * time.Millisecond)
			w.must(w.CreateAccessRequest(w.ctx(), r))
			want = append(want, r)
		}
		slices.SortFunc(want, func(a, b store.AccessRequest) int {
			if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
				return c
			}
			return strings.Compare(b.PublicID, a.PublicID)
		})
		for limit := 1; limit <= len(want)+1; limit++ {
			var got []store.AccessRequest
			q := store.AccessRequestQuery{TeamID: team.ID, Now: start, Limit: limit}
			for {
				page, err := w.ListAccessRequests(w.ctx(), q)
				w.must(err)
				got = append(got, page...)
				if len(page) < limit || len(got) > len(want) {
					break
				}
				last := page[len(page)-1]
				q.After = store.Position{At: last.CreatedAt, ID: last.PublicID}
			}
			w.same(fmt.Sprintf("requests by %d", limit), got, want)
		}
		for _, limit := range []int{0, -1} {
			page, err := w.ListAccessRequests(w.ctx(), store.AccessRequestQuery{TeamID: team.ID, Now: start, Limit: limit})
			w.must(err)
			w.same("requests without a limit", requestIDs(page), []string{})
		}
	}},

	{"a list by state judges at the millisecond what has lapsed", func(w *world) {
		f := w.team("acme")
		pending := w.request(f.Team)
		approved := w.approved(f.Person, f.Team)
		claimed := w.approved(f.Person, f.Team)
		w.must(w.CollectKey(w.ctx(), claimed.SecretHash, w.handedOut(f.Person)))
		denied, revised := w.request(f.Team), w.request(f.Team)
		w.must(w.DecideAccessRequest(w.ctx(), denied.PublicID, denied.Digest, verdict(f.Person, dash.RequestDecisionVerdictDenied), collectBy))
		w.must(w.DecideAccessRequest(w.ctx(), revised.PublicID, revised.Digest, verdict(f.Person, dash.RequestDecisionVerdictRevisionRequested), collectBy))
		names := map[string]string{
			pending.PublicID: "pending", approved.PublicID: "approved", claimed.PublicID: "claimed", denied.PublicID: "denied", revised.PublicID: "revised",
		}
		const ms = time.Millisecond
		lapse := collectBy
		for _, tt := range []struct {
			status dash.RequestStatus
			now    time.Time
			want   string
		}{
			{"", start, "approved claimed denied pending revised"},
			{"", after(time.Hour), "approved claimed denied pending revised"},
			{dash.RequestStatusPending, pending.ExpiresAt.Add(-ms), "pending"},
			{dash.RequestStatusPending, pending.ExpiresAt, ""},
			{dash.RequestStatusApproved, lapse.Add(-ms), "approved"},
			{dash.RequestStatusApproved, lapse, ""},
			{dash.RequestStatusExpired, lapse.Add(-ms), ""},
			{dash.RequestStatusExpired, lapse, "approved"},
			{dash.RequestStatusExpired, pending.ExpiresAt.Add(-ms), "approved"},
			{dash.RequestStatusExpired, pending.ExpiresAt, "approved pending"},
			{dash.RequestStatusClaimed, after(time.Hour), "claimed"},
			{dash.RequestStatusDenied, after(time.Hour), "denied"},
			{dash.RequestStatusRevisionRequested, after(time.Hour), "revised"},
			{"no such state", start, ""},
		} {
			page, err := w.ListAccessRequests(w.ctx(), store.AccessRequestQuery{TeamID: f.Team.ID, Status: tt.status, Now: tt.now, Limit: 10})
			w.must(err)
			var got []string
			for _, id := range requestIDs(page) {
				got = append(got, names[id])
			}
			slices.Sort(got)
			w.same(fmt.Sprintf("%q at %v", tt.status, tt.now), strings.Join(got, " "), tt.want)
		}
	}},

	{"what waits and what does not are two lists, parted at the millisecond", func(w *world) {
		f := w.team("acme")
		early, late := w.request(f.Team), w.asking(f.Team)
		late.ExpiresAt = early.ExpiresAt.Add(time.Minute)
		w.must(w.CreateAccessRequest(w.ctx(), late))
		approved := w.approved(f.Person, f.Team)
		claimed := w.approved(f.Person, f.Team)
		w.must(w.CollectKey(w.ctx(), claimed.SecretHash, w.handedOut(f.Person)))
		denied, revised := w.request(f.Team), w.request(f.Team)
		w.must(w.DecideAccessRequest(w.ctx(), denied.PublicID, denied.Digest, verdict(f.Person, dash.RequestDecisionVerdictDenied), collectBy))
		w.must(w.DecideAccessRequest(w.ctx(), revised.PublicID, revised.Digest, verdict(f.Person, dash.RequestDecisionVerdictRevisionRequested), collectBy))
		w.request(w.team("bolt").Team)
		names := map[string]string{
			early.PublicID: "early", late.PublicID: "late", approved.PublicID: "approved", claimed.PublicID: "claimed", denied.PublicID: "denied", revised.PublicID: "revised",
		}
		yes, no := true, false
		const ms = time.Millisecond
		for _, tt := range []struct {
			waiting *bool
			status  dash.RequestStatus
			now     time.Time
			want    string
		}{
			{nil, "", early.ExpiresAt, "approved claimed denied early late revised"},
			{&yes, "", early.ExpiresAt.Add(-ms), "early late"},
			{&yes, "", early.ExpiresAt, "late"},
			{&yes, "", late.ExpiresAt, ""},
			{&no, "", early.ExpiresAt.Add(-ms), "approved claimed denied revised"},
			{&no, "", early.ExpiresAt, "approved claimed denied early revised"},
			{&no, "", late.ExpiresAt, "approved claimed denied early late revised"},
			{&yes, dash.RequestStatusPending, early.ExpiresAt, "late"},
			{&no, dash.RequestStatusPending, early.ExpiresAt, ""},
			{&no, dash.RequestStatusDenied, early.ExpiresAt, "denied"},
			{&no, dash.RequestStatusExpired, late.ExpiresAt, "approved early late"},
		} {
			for limit := 1; limit <= len(names)+1; limit++ {
				var got []string
				q := store.AccessRequestQuery{TeamID: f.Team.ID, Waiting: tt.waiting, Status: tt.status, Now: tt.now, Limit: limit}
				for len(got) <= len(names) {
					page, err := w.ListAccessRequests(w.ctx(), q)
					w.must(err)
					for _, id := range requestIDs(page) {
						got = append(got, names[id])
					}
					if len(page) < limit {
						break
					}
					last := page[len(page)-1]
					q.After = store.Position{At: last.CreatedAt, ID: last.PublicID}
				}
				slices.Sort(got)
				waiting := "either"
				if tt.waiting != nil {
					waiting = fmt.Sprint(*tt.waiting)
				}
				w.same(fmt.Sprintf("waiting %s, %q, at %v, by %d", waiting, tt.status, tt.now, limit), strings.Join(got, " "), tt.want)
			}
		}
	}},

	{"requests that ended without a key are forgotten, to the millisecond", func(w *world) {
		f := w.team("acme")
		pending, linked := w.request(f.Team), w.request(store.Team{})
		approved := w.approved(f.Person, f.Team)
		claimed := w.approved(f.Person, f.Team)
		k := w.handedOut(f.Person)
		w.must(w.CollectKey(w.ctx(), claimed.SecretHash, k))
		denied, revised := w.request(f.Team), w.request(store.Team{})
		w.must(w.DecideAccessRequest(w.ctx(), denied.PublicID, denied.Digest, verdict(f.Person, dash.RequestDecisionVerdictDenied), after(time.Hour)))
		w.must(w.DecideAccessRequest(w.ctx(), revised.PublicID, revised.Digest, verdict(f.Person, dash.RequestDecisionVerdictRevisionRequested), after(time.Hour)))

		all := []store.AccessRequest{pending, linked, approved, claimed, denied, revised}
		const ms = time.Millisecond
		for _, step := range []struct {
			before time.Time
			gone   []store.AccessRequest
		}{
			{after(time.Minute), nil}, // when two were decided
			{after(time.Minute + ms), []store.AccessRequest{denied, revised}},
			{collectBy, nil},
			{collectBy.Add(ms), []store.AccessRequest{approved}},
			{pending.ExpiresAt, nil},
			{pending.ExpiresAt.Add(ms), []store.AccessRequest{pending, linked}},
			{after(1000 * time.Hour), nil},
		} {
			n, err := w.ForgetAccessRequests(w.ctx(), step.before)
			w.must(err)
			w.same(fmt.Sprintf("forgotten before %v", step.before), n, int64(len(step.gone)))
			all = slices.DeleteFunc(all, func(r store.AccessRequest) bool { return slices.Contains(requestIDs(step.gone), r.PublicID) })
			for _, r := range all {
				_, err := w.AccessRequest(w.ctx(), r.PublicID)
				w.must(err)
			}
			for _, r := range step.gone {
				_, err := w.AccessRequest(w.ctx(), r.PublicID)
				w.refused(err, store.ErrNotFound)
			}
		}
		w.same("what is left", requestIDs(all), []string{claimed.PublicID})
		_, _, err := w.KeyByHash(w.ctx(), k.Hash)
		w.must(err)
	}},
}

func requestIDs(requests []store.AccessRequest) []string {
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = r.PublicID
	}
	return ids
}
