// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/trio/jq"
)

// answer hands on a 2xx: JSON as its own bytes, text as a string, nothing as null, what is too long or no text as a
// file. The error says what came instead.
func (t *Trio) answer(ctx context.Context, c call, resp *client.Response, in *reading) (mcptools.APIResult, error) {
	result := mcptools.APIResult{Ok: true, Status: int32(resp.Status)}
	form, err := in.form(resp, in.file == nil)
	if err != nil {
		return result, err
	}
	body := resp.Body
	switch {
	case form == asNothing:
		result.Body = json.RawMessage("null")
		return result, nil
	case form == asJSON && in.file == nil:
		result.Drift = drift(c, resp)
		if c.filter != nil {
			selected, err := c.filter.Run(ctx, body)
			if err == nil {
				body = selected
			} else {
				result.SelectError = new(client.Visible(err.Error()))
			}
		}
	case c.filter != nil:
		result.SelectError = new("the body is not JSON, and an expression is run over JSON only")
		if form == asJSON {
			result.SelectError = new(fmt.Sprintf("the body is over %d bytes, and an expression is run over no more; narrow the call, or run one over the file", jq.MaxInput))
		}
	}
	switch {
	case in.file == nil && form == asJSON && len(body) <= shown:
		result.Body = body
	case in.file == nil && form == asText && len(body) <= shown:
		result.Body, err = encode(string(body))
	default:
		err = t.toFile(&result, body, form, resp.MediaType, in)
	}
	return result, err
}

// toFile answers with a file, and how it begins.
func (t *Trio) toFile(result *mcptools.APIResult, body []byte, form form, mediaType string, in *reading) error {
	if in.file == nil {
		file, err := t.spill.Keep(bytes.NewReader(body), ending(form, mediaType))
		if err != nil {
			return err
		}
		in.file = &file
	}
	result.Truncated, result.Bytes, result.File = new(true), &in.file.Bytes, &in.file.Path
	if form != asJSON {
		kind := mediaType
		if kind == "" {
			kind = "application/octet-stream"
		}
		result.ContentType = &kind
	}
	if form != asBytes {
		result.Preview = new(preview(body))
	}
	return nil
}

// preview is at most 2,000 characters of how a text begins.
func preview(body []byte) string {
	const length = 2000
	n := 0
	text := string(wholeCharacters(body[:min(len(body), 4*length)]))
	for i := range text {
		if n++; n > length {
			return text[:i]
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// drift names the first places in which an answer is not as this build's contract has it; nil is none.
func drift(c call, resp *client.Response) *string {
	if c.op == nil || len(resp.Body) > judged {
		return nil
	}
	return driftNote(c.method, c.path, resp.Status, c.op.CheckResponse(resp.Status, resp.MediaType, resp.Body))
}

func driftNote(method, path string, status int, issues []openapi.Issue) *string {
	if len(issues) == 0 {
		return nil
	}
	const places, length = 2, 300
	var said []string
	for _, issue := range issues[:min(len(issues), places)] {
		said = append(said, strings.TrimSpace(issue.Path+" "+issue.Message))
	}
	note := fmt.Sprintf("%s %s %d: %s", method, path, status, strings.Join(said, "; "))
	if more := len(issues) - places; more > 0 {
		note += "; and more"
	}
	if runes := []rune(note); len(runes) > length {
		note = string(runes[:length]) + "…"
	}
	return new(client.Visible(note))
}

// refused hands on a 4xx. It is an answer also when it is a page or broken JSON: its status says enough, and its
// beginning may say why.
func refused(resp *client.Response) (mcptools.APIResult, error) {
	result := mcptools.APIResult{Status: int32(resp.Status)}
	var err error
	switch {
	case len(bytes.TrimSpace(resp.Body)) == 0:
		result.Body = json.RawMessage("null")
	case (isPage(resp) || isJSON(resp) && !json.Valid(resp.Body)) && readable(resp.Body, true):
		result.Body, err = encode(beginning(string(resp.Body)))
	case isJSON(resp):
		result.Body, err = jsonBody(resp)
	case isPage(resp):
		err = pageError(resp)
	case isText(resp) && readable(resp.Body, true):
		result.Body, err = encode(string(resp.Body))
	default:
		kind := resp.MediaType
		if kind == "" {
			kind = "an unnamed type"
		}
		err = fmt.Errorf("%s %s: answered %d with %d bytes of %s, which are no text and cannot be shown", resp.Method, resp.Path, resp.Status, len(resp.Body), kind)
	}
	return result, err
}

// beginning is at most 500 characters of a text, with a mark where it is cut.
func beginning(text string) string {
	const length = 500
	n := 0
	for i := range text {
		if n++; n > length {
			return fmt.Sprintf("%s… [cut: %d bytes in all]", text[:i], len(text))
		}
	}
	return text
}
