// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fiftyarms/platform/gen/mcptools"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// answer hands on what the dashboard said: JSON as its own bytes, text as a string, nothing as null. The error says
// what came instead. A refusal is an answer also when it is a page or broken JSON: its status says enough, and its
// beginning may say why.
func answer(resp *client.Response) (mcptools.APIResult, error) {
	result := mcptools.APIResult{Ok: resp.Status < 400, Status: int32(resp.Status)}
	var err error
	switch {
	case len(bytes.TrimSpace(resp.Body)) == 0:
		result.Body = json.RawMessage("null")
	case !result.Ok && (isPage(resp) || isJSON(resp) && !json.Valid(resp.Body)) && readable(resp.Body):
		result.Body, err = encode(beginning(string(resp.Body)))
	case isJSON(resp):
		result.Body, err = jsonBody(resp)
	case isPage(resp):
		err = pageError(resp)
	case isText(resp):
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

// jsonBody is the body of an answer that has to be JSON.
func jsonBody(resp *client.Response) (json.RawMessage, error) {
	switch {
	case json.Valid(resp.Body):
		return resp.Body, nil
	case isPage(resp):
		return nil, pageError(resp)
	}
	return nil, fmt.Errorf("%s %s: answered %d with a body that is not JSON; it begins: %s", resp.Method, resp.Path, resp.Status, client.Excerpt(string(resp.Body)))
}

// pageError is about a page for people, which no route of a dashboard answers.
func pageError(resp *client.Response) error {
	return fmt.Errorf("%s %s: answered %d with an HTML page. The address in DANXBOT_DASHBOARD_URL may not be that of a dashboard, or something before it answered, such as a proxy or its sign-in page. It begins: %s",
		resp.Method, resp.Path, resp.Status, client.Excerpt(string(resp.Body)))
}

func isJSON(resp *client.Response) bool {
	kind := resp.MediaType
	return kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "" && json.Valid(resp.Body)
}

func isPage(resp *client.Response) bool {
	kind := resp.MediaType
	if kind == "" {
		begin := bytes.ToLower(bytes.TrimSpace(resp.Body[:min(len(resp.Body), 200)]))
		return bytes.HasPrefix(begin, []byte("<!doctype html")) || bytes.HasPrefix(begin, []byte("<html"))
	}
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// isText tells what can be answered as a string: what is called text, or called nothing and looks like it.
func isText(resp *client.Response) bool {
	kind := resp.MediaType
	named := strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml")
	switch kind {
	case "", "application/xml", "application/yaml", "application/x-ndjson", "application/jsonl", "application/javascript", "application/x-www-form-urlencoded":
		named = true
	}
	return named && readable(resp.Body)
}

func readable(body []byte) bool { return utf8.Valid(body) && bytes.IndexByte(body, 0) < 0 }

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
