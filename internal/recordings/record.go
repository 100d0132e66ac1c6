// SPDX-License-Identifier: Apache-2.0

// Package recordings holds a recorded success and refusal of every operation of the contract, the program that makes
// them afresh, and the tests over them: each is valid against the contract, the generated client reads each, and
// recording again gives the same bytes. They are cassettes of go-vcr under testdata/recordings/<operation>/<case>.yaml.
package recordings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"
)

// Record makes every recording afresh below dir.
func Record(ctx context.Context, dir string) error {
	for _, c := range Cases {
		if err := record(ctx, dir, c); err != nil {
			return fmt.Errorf("%s/%s: %w", c.Operation, c.Name, err)
		}
	}
	return nil
}

func record(ctx context.Context, dir string, c Case) (err error) {
	w, err := newWorld(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	call := c.make(w)
	if w.err != nil {
		return w.err
	}
	rec, err := recorder.New(filepath.Join(dir, c.Operation, c.Name),
		recorder.WithMode(recorder.ModeRecordOnly), recorder.WithRealTransport(w), recorder.WithHook(scrub, recorder.BeforeSaveHook))
	if err != nil {
		return err
	}
	res, err := rec.RoundTrip(call)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	if res.StatusCode != c.Status {
		return fmt.Errorf("answered %s, want %d: %s", res.Status, c.Status, body)
	}
	return rec.Stop()
}

// scrubbed stands for every secret; it is long enough for each schema.
const scrubbed = "scrubbed-scrubbed-scrubbed"

var secretFields = regexp.MustCompile(`("(?:secret|apiKey|csrf_token|password|token)"\s*:\s*)"[^"]*"`)

// scrub takes what would open something out of a recording, although nothing here opens anything but a dashboard that
// is gone: a reader of the repository cannot know that.
func scrub(i *cassette.Interaction) error {
	for _, h := range []http.Header{i.Request.Headers, i.Response.Headers} {
		for _, name := range []string{"Authorization", "Cookie", "Set-Cookie", "X-Csrf-Token"} {
			if h.Get(name) != "" {
				h.Set(name, scrubbed)
			}
		}
	}
	i.Request.Body = secretFields.ReplaceAllString(i.Request.Body, `${1}"`+scrubbed+`"`)
	i.Response.Body = secretFields.ReplaceAllString(i.Response.Body, `${1}"`+scrubbed+`"`)
	i.Request.ContentLength, i.Response.ContentLength = int64(len(i.Request.Body)), int64(len(i.Response.Body))
	i.Request.RemoteAddr, i.Response.Duration = "", 0
	return nil
}
