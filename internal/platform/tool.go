// SPDX-License-Identifier: Apache-2.0

package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/attach"
)

// definition is one tool of the catalogue. The schema stays raw: mcp-go's own types would drop parts of it.
type definition struct {
	Name        string             `json:"name"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	InputSchema json.RawMessage    `json:"inputSchema"`
	Annotations mcp.ToolAnnotation `json:"annotations"`
}

// readDefinitions reads the catalogue's tools of this server, by name.
func readDefinitions() (map[string]definition, error) {
	var catalogue map[string]struct {
		Tools []definition `json:"tools"`
	}
	if err := json.Unmarshal(mcptools.Definitions, &catalogue); err != nil {
		return nil, fmt.Errorf("tool catalogue of this build: %w", err)
	}
	byName := map[string]definition{}
	for _, d := range catalogue[serverName].Tools {
		byName[d.Name] = d
	}
	return byName, nil
}

// serverTool is a tool as mcp-go serves it.
func (s *Server) serverTool(tool mcptools.Tool, d definition) server.ServerTool {
	shown := mcp.NewToolWithRawSchema(d.Name, d.Description, d.InputSchema)
	shown.Title, shown.Annotations = d.Title, d.Annotations
	schema := sync.OnceValues(func() (*openapi.Validator, error) { return openapi.CompileSchema(d.InputSchema) })
	return server.ServerTool{Tool: shown, Handler: func(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("tool panicked", "tool", d.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				result, err = mcp.NewToolResultError(d.Name+": internal error; the server's stderr says more"), nil
			}
		}()
		text, err := "", s.gate(tool)
		if err == nil {
			text, err = run(attach.WithProgress(ctx, req), tool, schema, req)
		}
		if err != nil {
			return mcp.NewToolResultError(s.known.Hide(err.Error())), nil
		}
		return mcp.NewToolResultText(s.known.Hide(text)), nil
	}}
}

// run checks the arguments, calls the tool and puts its answer into text.
func run(ctx context.Context, tool mcptools.Tool, schema func() (*openapi.Validator, error), req mcp.CallToolRequest) (string, error) {
	args, err := rawArguments(req)
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool.Name, err)
	}
	v, err := schema()
	if err != nil {
		return "", fmt.Errorf("%s: its schema: %w", tool.Name, err)
	}
	if issues := v.Check(args, "arguments"); len(issues) > 0 {
		return "", badArguments(tool.Name, issues)
	}
	answer, err := tool.Call(ctx, args)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "<" stays one character
	if err := e.Encode(answer); err != nil {
		return "", fmt.Errorf("%s: encode answer: %w", tool.Name, err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// rawArguments are the arguments as the client wrote them; decoded ones have been through float64. None is an empty
// object.
func rawArguments(req mcp.CallToolRequest) (json.RawMessage, error) {
	switch raw := req.GetRawArguments().(type) {
	case nil:
	case json.RawMessage:
		if string(bytes.TrimSpace(raw)) != "null" {
			return raw, nil
		}
	default:
		return nil, fmt.Errorf("the arguments came decoded, as %T", raw)
	}
	return json.RawMessage("{}"), nil
}

func badArguments(tool string, issues []openapi.Issue) error {
	var said []string
	for _, issue := range issues {
		said = append(said, strings.TrimSpace(issue.Path+" "+issue.Message))
	}
	return fmt.Errorf("%s: the arguments are not as its schema wants them: %s", tool, strings.Join(said, "; "))
}
