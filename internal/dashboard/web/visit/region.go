// SPDX-License-Identifier: Apache-2.0

package visit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/fiftyarms/platform/internal/dashboard/web/apiclient"
	"github.com/fiftyarms/platform/internal/dashboard/web/layout"
)

// fragment is the header by which the script asks for some regions of a page instead of all of it.
const fragment = "X-Fragment"

// Region is a part of a page that can be asked for alone. Its body is one element with this id.
type Region struct {
	ID   string
	Body templ.Component
}

// Follow makes the page live: it then tells of the topics of the stream that it shows, and of where the log stood. Call
// it before the page reads what it shows, so that no event falls in between.
func (v *Visit) Follow(topics ...string) error {
	if v.partial() {
		return nil // the page that asks follows already
	}
	rsp, err := apiclient.Check(v.API.GetStreamCursorWithResponse(v.R.Context()))
	if err != nil {
		return err
	}
	if rsp.JSON200 == nil {
		return errors.New("the API answered no cursor")
	}
	v.live = &layout.Live{Topics: topics, Cursor: rsp.JSON200.Cursor}
	return nil
}

func (v *Visit) partial() bool { return v.R.Header.Get(fragment) != "" }

// Wants says whether the answer holds a region, so that a page need not read what nobody asked for.
func (v *Visit) Wants(id string) bool {
	return !v.partial() || slices.Contains(strings.Fields(v.R.Header.Get(fragment)), id)
}

// ShowRegions is Show for a page of regions: it answers with those alone that were asked for, and the title.
func (v *Visit) ShowRegions(status int, f layout.Frame, body templ.Component, regions []Region) error {
	if !v.partial() {
		return v.Show(status, f, body)
	}
	var part bytes.Buffer
	if err := layout.Title(f).Render(v.R.Context(), &part); err != nil {
		return err
	}
	for _, r := range regions {
		if v.Wants(r.ID) {
			if err := r.Body.Render(v.R.Context(), &part); err != nil {
				return err
			}
		}
	}
	v.send(status, &part)
	return nil
}

// Once is a fresh mark for a form that creates something, so that sending it twice creates once.
func Once() string { return rand.Text() }
