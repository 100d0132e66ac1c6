// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// askKey asks the dashboard what the key is worth.
func (x *examination) askKey(ctx context.Context) {
	if x.key.IsZero() {
		return
	}
	req, err := dash.NewGetMeRequest(x.client.Base())
	resp, err := x.call(ctx, req, err, true)
	var me dash.Me
	switch {
	case err != nil:
		x.fail("key", err.Error(), "")
	case resp.Status == http.StatusUnauthorized:
		x.dead(resp)
	case resp.Status != http.StatusOK:
		x.fail("key", resp.Refusal().Error(), "")
	case json.Unmarshal(resp.Body, &me) != nil || me.Team.Slug == "":
		x.fail("key", fmt.Sprintf("%s %s: answered with something else than who the key is", resp.Method, resp.Path), "")
	default:
		x.live(ctx, me)
	}
}

func (x *examination) live(ctx context.Context, me dash.Me) {
	k := x.report.Key
	k.State = dash.DoctorKeyStateLive
	detail := "stored in the session's file"
	if k.Dispatch != nil {
		detail = "a dispatch's credential"
	}
	if k.StoredAt != nil {
		detail += " since " + k.StoredAt.String()
	}
	if me.Key != nil {
		k.Prefix, k.Title, k.Owner = new(client.Excerpt(me.Key.Prefix)), new(client.Excerpt(me.Key.Title)), new(client.Excerpt(me.Key.Owner.Name))
		k.LapsesAt = &me.Key.LapsesAt
		detail += fmt.Sprintf("; begins with %s; of %s; lapses at %s unless it is used", *k.Prefix, *k.Owner, me.Key.LapsesAt)
	}
	x.ok("key", detail)
	team := client.Excerpt(me.Team.Slug)
	x.report.Team = &team
	if want := x.config.Team; want != "" && want != me.Team.Slug {
		x.warn("team", fmt.Sprintf("the key is of the team %s, and DANXBOT_TEAM names %s", team, want), "DANXBOT_TEAM counts when access is asked for: take it out, or sign in anew")
	} else {
		x.ok("team", fmt.Sprintf("%s (%s)", team, client.Excerpt(me.Team.Name)))
	}
	x.permissions(ctx)
}

// permissions reads what the session would read at its start.
func (x *examination) permissions(ctx context.Context) {
	req, err := dash.NewGetPermissionsRequest(x.client.Base())
	resp, err := x.call(ctx, req, err, true)
	var said dash.Permissions
	switch {
	case err != nil:
		x.fail("permissions", err.Error(), "")
	case resp.Status != http.StatusOK:
		x.fail("permissions", resp.Refusal().Error(), "")
	case json.Unmarshal(resp.Body, &said) != nil:
		x.fail("permissions", fmt.Sprintf("%s %s: answered with something else than permissions", resp.Method, resp.Path), "")
	default:
		held := []string{}
		for _, p := range said.Permissions {
			held = append(held, client.Excerpt(string(p)))
		}
		x.report.Permissions = held
		if len(held) == 0 {
			x.warn("permissions", "none", "ask for some with request_permission")
			return
		}
		x.ok("permissions", strings.Join(held, ", "))
	}
}

// dead says why the dashboard does not take the key.
func (x *examination) dead(resp *client.Response) {
	k := x.report.Key
	var said struct {
		By string `json:"revoked_by"`
		At string `json:"revoked_at"`
	}
	switch {
	case resp.Code() == (dash.KeyRevokedRefusal{}).RefusalCode():
		k.State = dash.DoctorKeyStateRevoked
		detail := "revoked"
		if json.Unmarshal(resp.Body, &said) == nil && said.By != "" {
			k.RevokedBy, k.RevokedAt = new(client.Excerpt(said.By)), new(client.Excerpt(said.At))
			detail += " by " + *k.RevokedBy + " at " + *k.RevokedAt
		}
		x.fail("key", detail, "ask the person why; a session with another id can ask for access anew")
	case k.Dispatch != nil:
		k.State = dash.DoctorKeyStateRefused
		x.fail("key", "the dashboard does not take this dispatch's credential: "+resp.Refusal().Error(), "set DANX_DASHBOARD_CREDENTIAL to a live key, or take it out")
	default:
		k.State = dash.DoctorKeyStateLapsed
		x.warn("key", "lapsed: it was not used for long, and a session here is signed out", "call plan_connect in the session: it asks a person for access")
	}
}
