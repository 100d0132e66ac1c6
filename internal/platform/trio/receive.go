// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"io"

	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/spill"
	"github.com/fiftyarms/platform/internal/platform/trio/jq"
)

const (
	// judged is how much of a body is read into memory, in bytes: what is longer goes into a file as it comes.
	judged = 1 << 20
	// shown is how much of a body an answer holds, in bytes.
	shown = 60_000
)

// reading is how the body of one 2xx is read.
type reading struct {
	spill    *spill.Folder
	selects  bool // an expression runs over JSON, so more of it is read into memory
	download bool // the route answers with a file, which may be anything

	file *spill.File // holds the body, of which the Response has the beginning; nil when it has it whole
}

// take reads a body: into the Response, or where it is too long for that, into a file.
func (r *reading) take(resp *client.Response, body io.Reader) error {
	limit := int64(judged)
	if r.selects && (isJSON(resp) || resp.MediaType == "") {
		limit = jq.MaxInput
	}
	var begin bytes.Buffer
	n, err := begin.ReadFrom(io.LimitReader(body, limit+1))
	if err != nil {
		return err
	}
	resp.Body = begin.Bytes()
	if n <= limit {
		return nil
	}
	form, err := r.form(resp, false)
	if err != nil {
		return err
	}
	file, err := r.spill.Keep(io.MultiReader(bytes.NewReader(resp.Body), body), ending(form, resp.MediaType))
	r.file = &file
	return err
}
