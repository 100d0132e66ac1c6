// SPDX-License-Identifier: Apache-2.0

package handler_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"testing"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/testkit"
)

// Whatever is called in whatever order, what has to hold does after each call. Each seed is another order; together
// they come by every call and every gate.
func TestInvariants(t *testing.T) {
	seen := map[string]int{}
	seeds := 6
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			k := newDesk(t)
			k.board("SHOP")
			k.board("DOCS")
			p := player{desk: k, rand: rand.New(rand.NewPCG(uint64(seed), 0))}
			for range 300 {
				move, a := p.play()
				outcome := "ok"
				if a.Status >= 300 {
					outcome = a.Code()
				}
				if outcome == "gate_failed" {
					outcome = k.gate(a)
				}
				seen[move]++
				seen[outcome]++
				if a.Status >= 500 {
					t.Fatalf("%s: %d %s", p.last, a.Status, a.Body)
				}
				if broken := p.broken(); broken != "" {
					t.Fatalf("after %s: %s", p.last, broken)
				}
			}
			k.events() // which checks their numbers
		})
	}
	if testing.Short() {
		return
	}
	for _, want := range []string{
		"create", "edit", "move", "wait", "wait for none", "conflict", "no conflict", "add item", "check item", "remove item",
		"ok", "waiting_on", "blocked", "requires_human", "conflict_on", "acceptance", "open_children", "parent_done",
		"dependency_cycle", "invalid_parent",
	} {
		if seen[want] == 0 {
			t.Errorf("%s never came: the orders are too few", want)
		}
	}
	t.Log(seen)
}

// A player makes calls at random, on a dozen cards of two boards.
type player struct {
	*desk
	rand *rand.Rand
	all  []dash.Issue
	last string
}

func pick[T any](p *player, of ...T) T { return of[p.rand.IntN(len(of))] }

func (p *player) some() dash.Issue { return pick(p, p.all...) }

func (p *player) play() (move string, a testkit.Answer) {
	p.Helper()
	p.all = p.read(`"acceptance":true`)
	if len(p.all) < 4 || len(p.all) < 14 && p.rand.IntN(8) == 0 {
		return "create", p.call("POST", fmt.Sprintf("/api/issues?board=%d", 1+p.rand.IntN(2)), p.newCard())
	}
	i := p.some()
	switch n := p.rand.IntN(22); {
	case n < 5:
		return "edit", p.call("PATCH", at(i, "/edit"), p.change(i))
	case n < 12:
		return "move", p.call("POST", at(i, "/transition"), map[string]any{"version": i.Version, "status": pick(p, append(dash.AllIssueStatuses, "Done", "Done", "In Progress", "In Progress")...)})
	case n < 13:
		by := []string{p.some().ID, p.some().ID}
		slices.Sort(by)
		return "wait", p.call("PUT", at(i, "/dependencies"), map[string]any{"version": i.Version, "reason": "x", "by": slices.Compact(by)})
	case n < 15:
		return "wait for none", p.call("DELETE", at(i, "/dependencies"), nil)
	case n < 17:
		return "conflict", p.call("PUT", at(i, "/conflicts/"+p.some().ID), map[string]any{"reason": "x"})
	case n < 18:
		return "no conflict", p.call("DELETE", at(i, "/conflicts/"+p.some().ID), nil)
	case n < 19:
		return "add item", p.call("POST", at(i, "/acceptance"), map[string]any{"title": "x"})
	case n < 21:
		return p.check()
	}
	return "remove item", p.call("DELETE", at(i, fmt.Sprint("/acceptance/", 1+p.rand.IntN(3))), nil)
}

// check checks or unchecks an item of a card that has one, if any has.
func (p *player) check() (move string, a testkit.Answer) {
	p.Helper()
	have := slices.DeleteFunc(slices.Clone(p.all), func(i dash.Issue) bool { return len(i.Acceptance) == 0 })
	if len(have) == 0 {
		return "check item", p.call("PATCH", at(p.some(), "/acceptance/1"), map[string]any{"version": 1, "checked": true})
	}
	i := pick(p, have...)
	item := pick(p, i.Acceptance...)
	return "check item", p.call("PATCH", at(i, fmt.Sprint("/acceptance/", item.ID)), map[string]any{"version": item.Version, "checked": p.rand.IntN(3) > 0})
}

func (p *player) call(method, path string, body any) testkit.Answer {
	p.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.Fatal(err)
	}
	p.last = fmt.Sprintf("%s %s %s", method, path, raw)
	if body == nil {
		return p.direct(p.agent.Request(method, path, nil))
	}
	return p.direct(p.agent.Request(method, path, string(raw)))
}

func (p *player) read(fields string) []dash.Issue {
	p.Helper()
	a := p.direct(p.agent.Request("GET", "/api/issues?limit=200&fields="+url.QueryEscape("{"+fields+"}"), nil))
	return testkit.Decode[dash.IssuePage](p.T, a, 200).Issues
}

// epic is the id of an Epic if there is one, or now and then of any card.
func (p *player) epic() string {
	epics := slices.DeleteFunc(slices.Clone(p.all), func(i dash.Issue) bool { return i.Type != "Epic" })
	if len(epics) == 0 || p.rand.IntN(5) == 0 {
		return p.some().ID
	}
	return pick(p, epics...).ID
}

func (p *player) newCard() map[string]any {
	body := map[string]any{"title": "x", "type": pick(p, "Epic", "Bug", "Feature"), "status": pick(p, dash.AllIssueStatuses...)}
	if len(p.all) > 0 && p.rand.IntN(2) == 0 {
		body["parent_id"] = p.epic()
	}
	if p.rand.IntN(3) == 0 {
		body["acceptance"] = []string{"x", "y"}
	}
	return body
}

func (p *player) change(i dash.Issue) map[string]any {
	body := map[string]any{"version": i.Version}
	switch p.rand.IntN(6) {
	case 0:
		body["type"] = pick(p, "Epic", "Bug", "Chore")
	case 1:
		body["parent_id"] = nil
	case 2:
		body["blocked"] = pick[any](p, map[string]any{"reason": "x"}, nil)
	case 3:
		body["requires_human"] = pick[any](p, map[string]any{"reason": "x", "steps": []string{"y"}}, nil)
	default:
		body["parent_id"] = p.epic()
	}
	return body
}

// broken says what does not hold; "" where all does.
func (p *player) broken() string {
	p.Helper()
	all := map[string]dash.Issue{}
	for _, i := range p.read(`"acceptance":true,"waiting_on":true,"conflict_on":true`) {
		all[i.ID] = i
	}
	needs := map[string][]string{}
	for id, i := range all {
		if parent, has := all[text(i.ParentID)]; has {
			needs[parent.ID] = append(needs[parent.ID], id)
			open := i.Status != "Done" && i.Status != "Cancelled"
			switch {
			case parent.Type != "Epic" || i.Type == "Epic":
				return fmt.Sprintf("%s, a %s, is a child of %s, a %s", id, i.Type, parent.ID, parent.Type)
			case parent.Status == "Done" && open:
				return fmt.Sprintf("%s is %s under %s, which is Done", id, i.Status, parent.ID)
			}
		}
		if i.WaitingOn != nil {
			for _, on := range i.WaitingOn.By {
				needs[id] = append(needs[id], on.ID)
			}
		}
		for _, item := range i.Acceptance {
			if i.Status == "Done" && !item.Checked {
				return fmt.Sprintf("%s is Done with its item %d open", id, item.ID)
			}
		}
		for _, c := range i.ConflictOn {
			if i.Status == "In Progress" && all[c.Issue.ID].Status == "In Progress" {
				return fmt.Sprintf("%s and %s conflict and are both In Progress", id, c.Issue.ID)
			}
			if !slices.ContainsFunc(all[c.Issue.ID].ConflictOn, func(back dash.Conflict) bool { return back.Issue.ID == id }) {
				return fmt.Sprintf("%s conflicts with %s, which does not with it", id, c.Issue.ID)
			}
		}
	}
	// What needs nothing that is left goes, until none is left; what cannot go is on a way round or waits for one.
	for gone := true; gone; {
		gone = false
		for id := range all {
			if !slices.ContainsFunc(needs[id], func(on string) bool { return all[on].ID != "" }) {
				delete(all, id)
				gone = true
			}
		}
	}
	for id := range all {
		return fmt.Sprintf("%s waits for itself: %v", id, needs)
	}
	return ""
}
