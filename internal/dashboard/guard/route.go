// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/openapi"
)

// A route is an operation with what is behind it.
type route struct {
	op     dash.Operation
	spec   *openapi.Operation
	bare   bool // it takes neither parameters nor a body: there is nothing to hold against the contract
	handle http.HandlerFunc
}

// routes holds every operation by its name ("GET /api/keys"). It takes the place of a mux under the generated code,
// because that reads parameters before any middleware runs, and a mux redirects paths that the contract does not know.
type routes map[string]*route

// HandleFunc takes the handler of an operation from the generated code.
func (t routes) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	t[pattern] = &route{handle: handle}
}

// ServeHTTP is there for the generated code alone; the guard calls the handlers.
func (t routes) ServeHTTP(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

func newRoutes(contract *openapi.Document, api dash.StrictServerInterface) (routes, error) {
	t := routes{}
	strict := dash.NewStrictHandlerWithOptions(api, nil, dash.StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  unread(dash.FaultInBody),
		ResponseErrorHandlerFunc: func(_ http.ResponseWriter, r *http.Request, err error) { From(r.Context()).failure = err },
	})
	dash.HandlerWithOptions(strict, dash.StdHTTPServerOptions{BaseRouter: t, ErrorHandlerFunc: unread(dash.FaultInQuery)})
	for _, op := range dash.Operations {
		to, handled := t[op.Route()]
		spec, known := contract.ByID(op.ID)
		if !handled || !known {
			return nil, fmt.Errorf("operation %s: the generated code is not of this contract", op.ID)
		}
		var takes struct{ Parameters, RequestBody json.RawMessage }
		if err := json.Unmarshal(spec.Raw(), &takes); err != nil {
			return nil, fmt.Errorf("operation %s: %w", op.ID, err)
		}
		to.op, to.spec, to.bare = op, spec, takes.Parameters == nil && takes.RequestBody == nil
	}
	return t, nil
}

// match finds the route of a request and notes its path parameters in it. HEAD is GET without the body.
func (g *guard) match(c *Call, r *http.Request) (*route, bool) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	m, ok := g.Contract.Match(method, r.URL.EscapedPath())
	if !ok {
		return nil, false
	}
	c.params = m.Params
	for name, value := range m.Params {
		r.SetPathValue(name, value)
	}
	to, ok := g.routes[m.Operation.Route()]
	return to, ok
}

// miss answers a call to a route that is not there: with the nearest ones that the caller may reach, or, asked for
// OPTIONS, with the methods that the path has for the caller.
func (g *guard) miss(c *Call, w http.ResponseWriter, r *http.Request) error {
	if err := g.identify(c, r); err != nil && !errors.As(err, new(dash.Refusal)) {
		return err
	}
	path := r.URL.EscapedPath()
	if r.Method == http.MethodOptions {
		if methods := g.allowed(c.Principal, path); len(methods) > 0 {
			w.Header().Set("Allow", strings.Join(methods, ", "))
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
	}
	refusal := dash.NotFoundRefusal{Message: "there is no such route"}
	if len(path) < 500 { // looking for neighbours takes time by length
		refusal.Nearest = openapi.NearestIn(access.Routes(c.Principal), r.Method+" "+path, 3)
	}
	return refusal
}

func (g *guard) allowed(p *access.Principal, path string) []string {
	var methods []string
	for _, method := range g.Contract.Allowed(path) {
		m, _ := g.Contract.Match(method, path)
		if to := g.routes[m.Operation.Route()]; to == nil || access.Allow(to.op, p) != nil {
			continue
		}
		methods = append(methods, method)
		if method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return methods
}
