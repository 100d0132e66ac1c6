// SPDX-License-Identifier: Apache-2.0

package visit

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
)

// Before the file of an upload come a few short fields.
const (
	maxFields = 10
	maxField  = 4 << 10 // bytes
)

// Upload reads a form with a file up to the file, whose bytes are then for the page to read, as they come. The form's
// fields stand before the file, and are there for Field afterwards.
func (v *Visit) Upload(name string) (*multipart.Part, error) {
	parts, err := v.R.MultipartReader()
	if err != nil {
		return nil, badForm{http.StatusUnsupportedMediaType, "A form of this site sends a file as multipart/form-data."}
	}
	v.R.PostForm = url.Values{}
	for range maxFields {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, badForm{http.StatusBadRequest, "The form did not arrive whole."}
		}
		if part.FormName() == name {
			return part, v.reach(v.R.PostForm.Get("csrf_token"))
		}
		value, err := io.ReadAll(io.LimitReader(part, maxField+1))
		if err != nil {
			return nil, badForm{http.StatusBadRequest, "The form did not arrive whole."}
		}
		if len(value) > maxField || !typed(string(value)) {
			return nil, badForm{http.StatusBadRequest, "The form holds a field that is too long, or that nobody types."}
		}
		v.R.PostForm.Add(part.FormName(), string(value))
	}
	return nil, badForm{http.StatusBadRequest, "The form holds no file."}
}
