// SPDX-License-Identifier: Apache-2.0

//go:build conformance

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// The contents that the suite's tools answer: one pixel, and one sample of silence.
const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

// fixtures is a server, of one session, with what the suite looks for. The names, and what they answer, are the suite's.
func fixtures() *server.MCPServer {
	var watched subscription
	var hooks server.Hooks
	watched.hook(&hooks)
	s := server.NewMCPServer("platform-conformance", "1", server.WithToolCapabilities(true), server.WithLogging(), server.WithElicitation(),
		server.WithPromptCapabilities(false), server.WithResourceCapabilities(true, false), server.WithHooks(&hooks),
		server.WithCompletions(), server.WithPromptCompletionProvider(completions{}))
	tools(s)
	s.AddTool(mcp.NewTool("touch_watched_resource", mcp.WithDescription("Changes the resource to subscribe to.")), watched.touch)
	elicitations(s)
	s.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("Asks the client's model."), mcp.WithString("prompt", mcp.Required())), sampling)
	prompts(s)
	resources(s)
	return s
}

// tools are those that ask nobody.
func tools(s *server.MCPServer) {
	says := func(name, description string, content ...mcp.Content) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription(description)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	says("test_simple_text", "Answers a text.", mcp.NewTextContent("This is a simple text response for testing."))
	says("test_image_content", "Answers an image.", mcp.NewImageContent(pixel, "image/png"))
	says("test_audio_content", "Answers a sound.", mcp.NewAudioContent(silence, "audio/wav"))
	says("test_embedded_resource", "Answers a resource.", mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	}))
	says("test_multiple_content_types", "Answers three things.",
		mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(pixel, "image/png"),
		mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`}))
	s.AddTool(mcp.NewTool("test_error_handling", mcp.WithDescription("Answers that it went wrong.")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	s.AddTool(mcp.NewTool("test_tool_with_progress", mcp.WithDescription("Tells how far it is.")), progress)
	s.AddTool(mcp.NewTool("test_tool_with_logging", mcp.WithDescription("Logs what it does.")), logging)
	s.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", json.RawMessage(schema2020)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("taken"), nil
	})
}

// schema2020 has what mcp-go's own types would drop.
const schema2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
	"additionalProperties": false
}`

func progress(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	session, ok := mcpstdio.FromContext(ctx)
	if !ok {
		return nil, errors.New("no session")
	}
	if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return mcp.NewToolResultText("nobody asked"), nil
	}
	for _, n := range []int{0, 50, 100} {
		if err := session.Notify("notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": n, "total": 100}); err != nil {
			return nil, err
		}
	}
	return mcp.NewToolResultText(fmt.Sprint(r.Params.Meta.ProgressToken)), nil
}

func logging(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	session, ok := mcpstdio.FromContext(ctx)
	if !ok {
		return nil, errors.New("no session")
	}
	for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := session.Notify("notifications/message", map[string]any{"level": "info", "logger": "conformance", "data": text}); err != nil {
			return nil, err
		}
	}
	return mcp.NewToolResultText("Tool with logging executed successfully"), nil
}

// sampling is a tool that asks the client's model.
func sampling(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	session, ok := mcpstdio.FromContext(ctx)
	if !ok {
		return nil, errors.New("no session")
	}
	answer, err := session.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.GetString("prompt", ""))}},
		MaxTokens: 100,
	}})
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	text, ok := answer.Content.(mcp.TextContent)
	if !ok {
		return mcp.NewToolResultError("the model answered no text"), nil
	}
	return mcp.NewToolResultText("LLM response: " + text.Text), nil
}

// elicitations are tools that ask the person at the client.
func elicitations(s *server.MCPServer) {
	asks := func(tool mcp.Tool, says string, properties map[string]any, required ...string) {
		s.AddTool(tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			session, ok := mcpstdio.FromContext(ctx)
			if !ok {
				return nil, errors.New("no session")
			}
			schema := map[string]any{"type": "object", "properties": properties}
			if len(required) > 0 {
				schema["required"] = required
			}
			answer, err := session.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
				Message: r.GetString("message", "Say so, please."), RequestedSchema: schema,
			}})
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			content, err := json.Marshal(answer.Content)
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(fmt.Sprintf("%s: action=%s, content=%s", says, answer.Action, content)), nil
		})
	}
	type m = map[string]any
	asks(mcp.NewTool("test_elicitation", mcp.WithDescription("Asks who you are."), mcp.WithString("message", mcp.Required())), "User response",
		m{"username": m{"type": "string"}, "email": m{"type": "string"}}, "username", "email")
	asks(mcp.NewTool("test_elicitation_sep1034_defaults", mcp.WithDescription("Asks with defaults.")), "Elicitation completed", m{
		"name": m{"type": "string", "default": "John Doe"}, "age": m{"type": "integer", "default": 30}, "score": m{"type": "number", "default": 95.5},
		"status":   m{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"},
		"verified": m{"type": "boolean", "default": true},
	})
	named := func(values ...string) (list []any) {
		for i := 0; i < len(values); i += 2 {
			list = append(list, m{"const": values[i], "title": values[i+1]})
		}
		return list
	}
	asks(mcp.NewTool("test_elicitation_sep1330_enums", mcp.WithDescription("Asks for a choice.")), "Elicitation completed", m{
		"untitledSingle": m{"type": "string", "enum": []string{"option1", "option2", "option3"}},
		"titledSingle":   m{"type": "string", "oneOf": named("value1", "First Option", "value2", "Second Option", "value3", "Third Option")},
		"legacyEnum":     m{"type": "string", "enum": []string{"opt1", "opt2", "opt3"}, "enumNames": []string{"Option One", "Option Two", "Option Three"}},
		"untitledMulti":  m{"type": "array", "items": m{"type": "string", "enum": []string{"option1", "option2", "option3"}}},
		"titledMulti":    m{"type": "array", "items": m{"anyOf": named("value1", "First Choice", "value2", "Second Choice", "value3", "Third Choice")}},
	})
}
