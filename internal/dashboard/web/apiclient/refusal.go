// SPDX-License-Identifier: Apache-2.0

package apiclient

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/fiftyarms/platform/gen/dash"
)

// Response is what every generated response offers.
type Response interface {
	StatusCode() int
	GetBody() []byte
}

// Check turns an answer that is no success into an error: the contract's refusal where it is one, else *Unexpected.
// Wrap a call in it: Check(api.GetMeWithResponse(ctx)).
func Check[R Response](rsp R, err error) (R, error) {
	if err != nil {
		return rsp, fmt.Errorf("call the API: %w", err)
	}
	if status := rsp.StatusCode(); status < 200 || status > 299 {
		return rsp, refused(status, rsp.GetBody())
	}
	return rsp, nil
}

// Unexpected is an answer that the contract does not know.
type Unexpected struct {
	Status int
	Code   string // the `error` key, if it had one
}

// Error says what came, never the body: it may hold anything.
func (u *Unexpected) Error() string {
	return fmt.Sprintf("the API answered %d %s (error %q), which the contract does not name", u.Status, http.StatusText(u.Status), u.Code)
}

func refused(status int, body []byte) error {
	refusal, err := dash.DecodeRefusal(body)
	if err == nil {
		return refusal
	}
	var head struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &head) // a body that is no JSON has no code to name
	return &Unexpected{Status: status, Code: head.Error}
}
