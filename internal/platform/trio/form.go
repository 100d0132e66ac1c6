// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fiftyarms/platform/internal/platform/client"
)

// form is what a body is to an agent.
type form int

const (
	asNothing form = iota
	asJSON
	asText
	asBytes
)

// form tells what the body of a 2xx is. Of one that is not whole the beginning has to do. The error says what came
// instead of an answer.
func (r *reading) form(resp *client.Response, whole bool) (form, error) {
	body := resp.Body
	file := r.download && strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Disposition")), "attachment")
	switch {
	case len(body) == 0, !file && whole && len(bytes.TrimSpace(body)) == 0:
		return asNothing, nil
	case isJSON(resp) && (whole && json.Valid(body) || !whole && beginsJSON(body)):
		return asJSON, nil
	case file && isJSON(resp) && readable(body, whole):
		return asText, nil
	case isPage(resp) && !file:
		return 0, pageError(resp)
	case isJSON(resp) && !file:
		return 0, notJSON(resp)
	case isText(resp) && readable(body, whole):
		return asText, nil
	}
	return asBytes, nil
}

// jsonBody is the body of an answer that has to be JSON.
func jsonBody(resp *client.Response) (json.RawMessage, error) {
	switch {
	case json.Valid(resp.Body):
		return resp.Body, nil
	case isPage(resp):
		return nil, pageError(resp)
	}
	return nil, notJSON(resp)
}

func notJSON(resp *client.Response) error {
	return fmt.Errorf("%s %s: answered %d with a body that is not JSON; it begins: %s", resp.Method, resp.Path, resp.Status, client.Excerpt(string(resp.Body[:min(len(resp.Body), 4096)])))
}

// pageError is about a page for people, which no route of a dashboard answers.
func pageError(resp *client.Response) error {
	return fmt.Errorf("%s %s: answered %d with an HTML page. The address in DANXBOT_DASHBOARD_URL may not be that of a dashboard, or something before it answered, such as a proxy or its sign-in page. It begins: %s",
		resp.Method, resp.Path, resp.Status, client.Excerpt(string(resp.Body[:min(len(resp.Body), 4096)])))
}

func isJSON(resp *client.Response) bool {
	kind := resp.MediaType
	return kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "" && json.Valid(resp.Body)
}

// beginsJSON tells what can be no JSON from its first character.
func beginsJSON(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n")
	return len(body) == 0 || strings.IndexByte(`{["-0123456789tfn`, body[0]) >= 0
}

func isPage(resp *client.Response) bool {
	kind := resp.MediaType
	if kind == "" {
		begin := bytes.ToLower(bytes.TrimSpace(resp.Body[:min(len(resp.Body), 200)]))
		return bytes.HasPrefix(begin, []byte("<!doctype html")) || bytes.HasPrefix(begin, []byte("<html"))
	}
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// isText tells what is called text, or called nothing.
func isText(resp *client.Response) bool {
	kind := resp.MediaType
	switch kind {
	case "", "application/xml", "application/yaml", "application/x-ndjson", "application/jsonl", "application/javascript", "application/x-www-form-urlencoded":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml")
}

// readable tells text that can be shown as it is. Of a body that is not whole the last character may be cut.
func readable(body []byte, whole bool) bool {
	if !whole {
		body = wholeCharacters(body)
	}
	return utf8.Valid(body) && bytes.IndexByte(body, 0) < 0
}

// wholeCharacters is body without a last character of which bytes are missing.
func wholeCharacters(body []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(body)); i++ {
		if at := len(body) - i; utf8.RuneStart(body[at]) {
			if !utf8.FullRune(body[at:]) {
				return body[:at]
			}
			break
		}
	}
	return body
}

// endings are those of files by what they are called to hold, where it is not what mime types would say.
var endings = map[string]string{
	"text/plain": ".txt", "text/markdown": ".md", "text/csv": ".csv", "text/html": ".html", "text/css": ".css", "text/xml": ".xml", "application/xml": ".xml",
	"application/yaml": ".yaml", "application/x-ndjson": ".jsonl", "application/jsonl": ".jsonl", "application/javascript": ".js", "text/javascript": ".js",
	"image/svg+xml": ".svg", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/avif": ".avif", "image/bmp": ".bmp",
	"application/pdf": ".pdf", "application/zip": ".zip", "application/gzip": ".gz", "application/x-gzip": ".gz", "application/x-tar": ".tar",
	"video/mp4": ".mp4", "video/webm": ".webm", "audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/wave": ".wav",
}

// ending is that of the file for a body.
func ending(f form, mediaType string) string {
	if f == asJSON {
		return ".json"
	}
	if e := endings[mediaType]; e != "" {
		return e
	}
	if f == asText {
		return ".txt"
	}
	return ".bin"
}
