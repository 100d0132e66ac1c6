// SPDX-License-Identifier: Apache-2.0

//go:build conformance

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// prompts are the suite's, all of the user's.
func prompts(s *server.MCPServer) {
	says := func(p mcp.Prompt, contents func(arguments map[string]string) []mcp.Content) {
		s.AddPrompt(p, func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			var messages []mcp.PromptMessage
			for _, c := range contents(r.Params.Arguments) {
				messages = append(messages, mcp.NewPromptMessage(mcp.RoleUser, c))
			}
			return mcp.NewGetPromptResult(p.Description, messages), nil
		})
	}
	says(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("Says one thing.")), func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
	})
	says(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("Says what it is given."),
		mcp.WithArgument("arg1", mcp.ArgumentDescription("First test argument"), mcp.RequiredArgument()),
		mcp.WithArgument("arg2", mcp.ArgumentDescription("Second test argument"), mcp.RequiredArgument()),
	), func(arguments map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", arguments["arg1"], arguments["arg2"]))}
	})
	says(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("Shows a resource."),
		mcp.WithArgument("resourceUri", mcp.ArgumentDescription("URI of the resource to embed"), mcp.RequiredArgument()),
	), func(arguments map[string]string) []mcp.Content {
		return []mcp.Content{
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
			mcp.NewTextContent("Please process the embedded resource above."),
		}
	})
	says(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("Shows an image.")), func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewImageContent(pixel, "image/png"), mcp.NewTextContent("Please analyze the image above.")}
	})
}

// completions are of the arguments of prompts, and the same for each.
type completions struct{}

func (completions) CompletePromptArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	var c mcp.Completion
	for _, value := range []string{"paris", "park", "party", "test"} {
		if strings.HasPrefix(value, argument.Value) {
			c.Values = append(c.Values, value)
		}
	}
	c.Total = len(c.Values)
	return &c, nil
}
