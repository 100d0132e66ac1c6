// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// APISpec reads the contract of some routes from the dashboard, whose contract may be newer than this build's. The
// error is a halt, a failure, or a refusal in words, which names the nearest routes of one that does not exist.
func (t *Trio) APISpec(ctx context.Context, args mcptools.APISpecArgs) (mcptools.APISpecResult, error) {
	endpoints, err := readEndpoints(args.Endpoints)
	if err != nil {
		return nil, err
	}
	req, err := dash.NewGetContractRequest(t.client.Base(), &dash.GetContractParams{Endpoints: &endpoints})
	if err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	resp, err := t.send(ctx, client.Call{Request: req})
	if err != nil {
		return nil, err
	}
	if resp.Status >= 400 {
		return nil, resp.Refusal()
	}
	return jsonBody(resp)
}

// readEndpoints brings a list of routes to the spelling that every dashboard takes. An entry may name a part that an
// earlier answer has cut: "GET /x#Name".
func readEndpoints(list string) (string, error) {
	// A comma may belong to a path, an empty place never does.
	for entry := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(entry) == "" {
			return "", errors.New(`endpoints: an entry is blank; give routes as 50arms_api_list lists them, joined by single commas, like "GET /api/keys,DELETE /api/keys/{id}"`)
		}
	}
	entries := openapi.SplitEndpoints(list)
	for i, entry := range entries {
		name, part, cut := strings.Cut(entry, "#")
		route, err := openapi.ParseRoute(name)
		if err != nil {
			return "", fmt.Errorf("endpoints: %w", err)
		}
		entries[i] = route.String()
		if cut {
			entries[i] += "#" + part
		}
	}
	return strings.Join(entries, ","), nil
}
