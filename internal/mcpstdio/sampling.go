// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// ErrSamplingNotSupported is wrapped by the error for a client that did not
// declare what a request for a sample needs. mcp-go has none of its own.
var ErrSamplingNotSupported = errors.New("session does not support sampling")

// RequestSampling asks the model at the client. It waits for the answer as
// long as ctx lasts. A client that did not declare the capability is not
// asked: the error then wraps [ErrSamplingNotSupported]. The content of the
// answer is an mcp.Content, or a list of them.
func (s *Session) RequestSampling(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	if err := s.canSample(request.CreateMessageParams); err != nil {
		return nil, err
	}
	raw, err := s.request(ctx, string(mcp.MethodSamplingCreateMessage), request.CreateMessageParams)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	answer, err := sample(raw)
	if err != nil {
		return nil, fmt.Errorf("sample: read the client's answer: %w", err)
	}
	return answer, nil
}

// sample reads the content too, which mcp-go leaves as bare JSON.
func sample(raw json.RawMessage) (*mcp.CreateMessageResult, error) {
	var answer mcp.CreateMessageResult
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	content, err := mcp.ParseSamplingContent(answer.Content)
	if err != nil {
		return nil, err
	}
	switch content.(type) {
	case mcp.Content, []mcp.Content:
		answer.Content = content
		return &answer, nil
	}
	return nil, errors.New("content is neither an object nor a list of them")
}

// canSample checks what is asked for too: tools and other servers' context
// need a declaration of their own.
func (s *Session) canSample(params mcp.CreateMessageParams) error {
	caps := s.GetClientCapabilities().Sampling
	switch include := params.IncludeContext; {
	case caps == nil:
		return fmt.Errorf("client did not declare the sampling capability: %w", ErrSamplingNotSupported)
	case caps.Tools == nil && (len(params.Tools) > 0 || params.ToolChoice != nil):
		return fmt.Errorf("client did not declare sampling with tools: %w", ErrSamplingNotSupported)
	case caps.Context == nil && include != "" && include != "none":
		return fmt.Errorf("client did not declare sampling with context: %w", ErrSamplingNotSupported)
	}
	return nil
}
