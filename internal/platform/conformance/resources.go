// SPDX-License-Identifier: Apache-2.0

//go:build conformance

package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/fiftyarms/platform/internal/mcpstdio"
)

// watchedURI is what a client may subscribe to.
const watchedURI = "test://watched-resource"

// resources are the suite's.
func resources(s *server.MCPServer) {
	is := func(uri, name, mime, description string, contents mcp.ResourceContents) {
		s.AddResource(mcp.NewResource(uri, name, mcp.WithResourceDescription(description), mcp.WithMIMEType(mime)),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{contents}, nil
			})
	}
	is("test://static-text", "static-text", "text/plain", "A text.",
		mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	is("test://static-binary", "static-binary", "image/png", "An image.",
		mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: pixel})
	is(watchedURI, "watched-resource", "text/plain", "A text to subscribe to; the tool touch_watched_resource tells that it changed.",
		mcp.TextResourceContents{URI: watchedURI, MIMEType: "text/plain", Text: "Watched."})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template",
		mcp.WithTemplateDescription("Data of an id."), mcp.WithTemplateMIMEType("application/json")), templated)
}

func templated(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	id, ok := one(r.Params.Arguments["id"])
	if !ok {
		return nil, errors.New("the template takes one id")
	}
	text, err := json.Marshal(struct {
		ID   string `json:"id"`
		Test bool   `json:"templateTest"`
		Data string `json:"data"`
	}{id, true, "Data for ID: " + id})
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(text)}}, nil
}

// one is the value of a template's variable; mcp-go has a list for each.
func one(variable any) (string, bool) {
	values, ok := variable.([]string)
	if !ok || len(values) != 1 {
		return "", false
	}
	return values[0], true
}

// subscription is whether the session's client wants to hear of the one resource that changes. Those to other resources
// are taken, and nothing comes of them: they stay as they are.
type subscription struct {
	mu sync.Mutex
	on bool
}

// hook has mcp-go tell of what it has granted.
func (w *subscription) hook(h *server.Hooks) {
	h.AddAfterSubscribe(func(_ context.Context, _ any, r *mcp.SubscribeRequest, _ *mcp.EmptyResult) { w.set(r.Params.URI, true) })
	h.AddAfterUnsubscribe(func(_ context.Context, _ any, r *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		w.set(r.Params.URI, false)
	})
}

func (w *subscription) set(uri string, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if uri == watchedURI {
		w.on = on
	}
}

// touch is a tool: the resource has changed. It answers whether the client was told.
func (w *subscription) touch(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	session, ok := mcpstdio.FromContext(ctx)
	if !ok {
		return nil, errors.New("no session")
	}
	w.mu.Lock()
	on := w.on
	w.mu.Unlock()
	if !on {
		return mcp.NewToolResultText("nobody is subscribed"), nil
	}
	if err := session.Notify(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": watchedURI}); err != nil {
		return nil, err
	}
	return mcp.NewToolResultText("told"), nil
}
