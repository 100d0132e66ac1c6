// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/access"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/work"
)

// GetContract answers the contract, or a slice of it. What the caller cannot call, a slice does not know.
func (h *Handler) GetContract(ctx context.Context, request dash.GetContractRequestObject) (dash.GetContractResponseObject, error) {
	if request.Params.Endpoints == nil {
		return document(h.Contract.Raw()), nil
	}
	reachable := access.Routes(caller(ctx))
	endpoints := openapi.SplitEndpoints(*request.Params.Endpoints)
	for _, endpoint := range endpoints {
		route, _, _ := strings.Cut(endpoint, "#")
		op, ok := h.Contract.Lookup(route)
		if !ok || !slices.Contains(reachable, op.Route()) {
			return nil, dash.NotFoundRefusal{
				Message: "there is no route " + route,
				Nearest: openapi.NearestIn(reachable, route, 3),
			}
		}
	}
	if len(endpoints) == 0 {
		return nil, invalid(dash.FaultInQuery, "endpoints", "names no route")
	}
	slice, err := h.Contract.Slice(endpoints, openapi.SliceOptions{})
	if unknown, ok := errors.AsType[*openapi.UnknownRouteError](err); ok { // a part that the route does not have
		return nil, dash.NotFoundRefusal{Message: unknown.Error(), Nearest: unknown.Nearest}
	}
	return document(slice), during("slice the contract", err)
}

// ListRoutes lists the routes that the caller may reach.
func (h *Handler) ListRoutes(ctx context.Context, request dash.ListRoutesRequestObject) (dash.ListRoutesResponseObject, error) {
	out := dash.ListRoutes200JSONResponse{Routes: []string{}}
	for _, op := range access.Reachable(caller(ctx)) {
		if tag := request.Params.Tag; tag == nil || op.Tag == *tag {
			out.Routes = append(out.Routes, op.Route())
		}
	}
	return out, nil
}

// GetResourceFields says what `fields` may opt into.
func (h *Handler) GetResourceFields(_ context.Context, request dash.GetResourceFieldsRequestObject) (dash.GetResourceFieldsResponseObject, error) {
	r, ok := work.Resource(request.Resource)
	if !ok {
		refusal := dash.NotFoundRefusal{Message: "there is no resource " + request.Resource}
		for _, known := range dash.Resources {
			refusal.Nearest = append(refusal.Nearest, known.Resource)
		}
		return nil, refusal
	}
	return dash.GetResourceFields200JSONResponse(r), nil
}

// document is an OpenAPI document as it is: the generated response would write its bytes as base64.
type document []byte

func (d document) VisitGetContractResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(d)
	return err
}
