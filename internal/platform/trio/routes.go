// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/contract"
)

// APIList lists what the key may reach. The error is a halt, a failure, or a refusal in words.
func (t *Trio) APIList(ctx context.Context, args mcptools.APIListArgs) (mcptools.APIListResult, error) {
	var result mcptools.APIListResult
	filter, tag := "", ""
	if args.Filter != nil {
		filter = *args.Filter
	}
	if args.Tag != nil {
		tag = *args.Tag
	}
	routes, err := t.fetchRoutes(ctx, tag)
	if err != nil {
		return result, err
	}
	routes = slices.DeleteFunc(routes, streams) // which no answer of a tool can be
	list := openapi.ListRoutes(routes, filter, openapi.DefaultListBudget)
	result.Routes = list.Routes
	for _, group := range list.Groups {
		result.Groups = append(result.Groups, mcptools.RouteGroup{Prefix: group.Prefix, Routes: int32(group.Count)})
	}
	hint := list.Hint
	if len(routes) == 0 {
		hint = t.noRoutes(ctx, tag)
	}
	if hint != "" {
		result.Hint = &hint
	}
	return result, nil
}

// noRoutes says why a list is empty. Which tags there are only this build's contract knows.
func (t *Trio) noRoutes(ctx context.Context, tag string) string {
	const none = "this key reaches no route: tell the user"
	if tag == "" {
		return none
	}
	all, err := t.fetchRoutes(ctx, "")
	if err != nil {
		return fmt.Sprintf("no route has the tag %q: ask without tag", tag)
	}
	if len(all) == 0 {
		return none
	}
	var tags []string
	for _, route := range all {
		if op := contract.Route(route); !op.Stream && op.Tag != "" {
			tags = append(tags, op.Tag)
		}
	}
	slices.Sort(tags)
	return fmt.Sprintf("no route has the tag %q; tags: %s", tag, strings.Join(slices.Compact(tags), ", "))
}

// streams tells whether a route is known to answer with events without end.
func streams(route string) bool { return contract.Route(route).Stream }

// fetchRoutes asks the dashboard for the routes that the key reaches; tag "" is all.
func (t *Trio) fetchRoutes(ctx context.Context, tag string) ([]string, error) {
	params := &dash.ListRoutesParams{}
	if tag != "" {
		params.Tag = &tag
	}
	req, err := dash.NewListRoutesRequest(t.client.Base(), params)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	resp, err := t.send(ctx, client.Call{Request: req})
	if err != nil {
		return nil, err
	}
	if resp.Status >= 400 {
		return nil, resp.Refusal()
	}
	body, err := jsonBody(resp)
	if err != nil {
		return nil, err
	}
	var list dash.RouteList
	if err := json.Unmarshal(body, &list); err != nil || list.Routes == nil {
		return nil, fmt.Errorf("%s %s: answered %d with something else than a list of routes: is %s a dashboard?", resp.Method, resp.Path, resp.Status, t.client.Dashboard())
	}
	return list.Routes, nil
}

// unknown weighs a call that this build's contract does not know: nearest is nil when the dashboard lists its route, or
// does not say what it lists, and is then the judge; else the routes that may have been meant.
func (t *Trio) unknown(ctx context.Context, method, path string) (nearest []string, err error) {
	known, err := t.known(ctx)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	if _, listed := known.index.Match(method, path); listed {
		return nil, nil
	}
	return append([]string{}, openapi.NearestIn(known.routes, method+" "+path, 3)...), nil
}

// listed tells whether the dashboard has a route of exactly this name. One of this build's templates may take the same
// path and mean something else.
func (t *Trio) listed(ctx context.Context, method, path string) bool {
	known, err := t.known(ctx)
	return err == nil && slices.Contains(known.routes, method+" "+path)
}

func (t *Trio) known(ctx context.Context) (*routeSet, error) {
	return t.routes.get(ctx, func() ([]string, error) { return t.fetchRoutes(ctx, "") })
}

// routesAge is how long a list of routes is believed when an unknown route is called.
const routesAge = 30 * time.Second

// routeCache keeps the dashboard's routes for a short while, so that a run of wrong calls costs one list, and so do
// wrong calls at the same moment.
type routeCache struct {
	now func() time.Time

	mu       sync.Mutex
	last     *routeSet
	fetching *routeFetch // under way, or nil
}

type routeSet struct {
	routes []string
	index  *openapi.Document // the same routes, for matching
	at     time.Time
}

// routeFetch is one call for the list. What came of it may be read when done is closed.
type routeFetch struct {
	done chan struct{}
	set  *routeSet
	err  error
}

func (c *routeCache) get(ctx context.Context, fetch func() ([]string, error)) (*routeSet, error) {
	c.mu.Lock()
	if c.last != nil && c.now().Sub(c.last.at) < routesAge {
		defer c.mu.Unlock()
		return c.last, nil
	}
	f := c.fetching
	if f == nil {
		f = &routeFetch{done: make(chan struct{}), err: errors.New("the list of routes was not read")}
		c.fetching = f
		c.mu.Unlock()
		c.run(f, fetch)
		return f.set, f.err
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.set, f.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (c *routeCache) run(f *routeFetch, fetch func() ([]string, error)) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.fetching = nil; f.err == nil {
			c.last = f.set
		}
		close(f.done)
	}()
	routes, err := fetch()
	if err != nil {
		f.err = err
		return
	}
	index, err := indexOf(routes)
	f.set, f.err = &routeSet{routes: routes, index: index, at: c.now()}, err
}

// indexOf makes a document of nothing but routes, so that they are matched as a contract's are.
func indexOf(routes []string) (*openapi.Document, error) {
	paths := map[string]map[string]struct{}{}
	for _, text := range routes {
		route, err := openapi.ParseRoute(text)
		if err != nil {
			continue // a newer server may list what this build cannot read
		}
		if paths[route.Path] == nil {
			paths[route.Path] = map[string]struct{}{}
		}
		paths[route.Path][strings.ToLower(route.Method)] = struct{}{}
	}
	data, err := json.Marshal(map[string]any{"openapi": "3.1.0", "paths": paths})
	if err != nil {
		return nil, fmt.Errorf("routes of the dashboard: %w", err)
	}
	return openapi.Load(data)
}
