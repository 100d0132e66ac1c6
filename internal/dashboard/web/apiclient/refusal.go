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
	var head struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(body, &head); err == nil {
		if read, ok := refusals[head.Error]; ok {
			if refusal, err := read(body); err == nil {
				return refusal
			}
		}
	}
	return &Unexpected{Status: status, Code: head.Error}
}

// refusals reads each refusal by its code. A test compares it with the contract.
var refusals = map[string]func([]byte) (dash.Refusal, error){}

func init() {
	know[dash.InvalidRequestRefusal]()
	know[dash.UnknownTeamRefusal]()
	know[dash.UnauthenticatedRefusal]()
	know[dash.KeyRevokedRefusal]()
	know[dash.WrongCredentialsRefusal]()
	know[dash.ForbiddenRefusal]()
	know[dash.PersonRequiredRefusal]()
	know[dash.KeyRequiredRefusal]()
	know[dash.CrossSiteRefusal]()
	know[dash.WrongSetupTokenRefusal]()
	know[dash.AlreadySetUpRefusal]()
	know[dash.NotFoundRefusal]()
	know[dash.NotPendingRefusal]()
	know[dash.DigestMismatchRefusal]()
	know[dash.OwnerLacksPermissionRefusal]()
	know[dash.TooLargeRefusal]()
	know[dash.UnsupportedMediaTypeRefusal]()
	know[dash.RateLimitedRefusal]()
	know[dash.InternalRefusal]()
	know[dash.NotReadyRefusal]()
}

func know[T dash.Refusal]() {
	var zero T
	refusals[zero.RefusalCode()] = func(body []byte) (dash.Refusal, error) {
		var refusal T
		err := json.Unmarshal(body, &refusal)
		return refusal, err
	}
}
