// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	platform "github.com/fiftyarms/platform"
)

// A Contract holds what passes through a handler against openapi.yaml. It reads the contract with another library than
// the server does, so that the two do not share their mistakes.
type Contract struct {
	t      testing.TB
	doc    *openapi3.T
	router routers.Router
}

var loadContract = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(platform.OpenAPI)
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return doc, nil
})

// NewContract reads the contract. What breaks it fails t.
func NewContract(t testing.TB) *Contract {
	t.Helper()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	router, err := legacy.NewRouter(doc, openapi3.DisableExamplesValidation())
	if err != nil {
		t.Fatal(err)
	}
	return &Contract{t: t, doc: doc, router: router}
}

// Check is next with every message held against the contract: each response has to be one that the contract declares,
// and each request that was served one that it allows. A request that was refused may be anything. Of files and streams,
// which have no form and may have no end, only what comes before their bytes is looked at.
func (c *Contract) Check(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent bytes.Buffer
		asked := r.Clone(r.Context())
		if r.Body != nil && isJSON(r.Header) {
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.TeeReader(r.Body, &sent), r.Body}
		}
		answer := &answer{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		if r.Method == http.MethodHead || r.Context().Err() != nil && isJSON(answer.Header()) {
			return // nobody reads the answer
		}
		asked = asked.WithContext(context.WithoutCancel(r.Context()))
		asked.Body = io.NopCloser(bytes.NewReader(sent.Bytes()))
		for _, err := range c.problems(asked, answer) {
			c.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
	})
}

// isJSON says whether a message is JSON, or does not say what it is.
func isJSON(h http.Header) bool {
	mediaType := mediaType(h)
	return mediaType == "" || mediaType == "application/json"
}

func mediaType(h http.Header) string {
	mediaType, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return mediaType
}

// formless says whether a message is a file or a stream, of a type that the contract declares for it.
func formless(declared openapi3.Content, h http.Header) bool {
	return declared["application/json"] == nil && declared.Get(mediaType(h)) != nil
}

func (c *Contract) problems(r *http.Request, a *answer) (errs []error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	route, params, err := c.router.FindRoute(r)
	if err != nil {
		if strings.HasPrefix(r.URL.Path, "/api/") && r.Method != http.MethodOptions && a.status != http.StatusNotFound {
			return []error{fmt.Errorf("the contract has no such route, and the server answers %d", a.status)}
		}
		return nil
	}
	op := route.Operation
	for _, name := range []string{"X-Request-Id", "X-Mcp-Min-Version"} {
		if a.Header().Get(name) == "" {
			errs = append(errs, fmt.Errorf("%s: the answer carries no %s", op.OperationID, name))
		}
	}
	declared := op.Responses.Status(a.status)
	raw := op.RequestBody != nil && formless(op.RequestBody.Value.Content, r.Header)
	file := declared != nil && formless(declared.Value.Content, a.Header())
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route, QueryParams: r.URL.Query(),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
			ExcludeRequestBody: raw, ExcludeResponseBody: file,
		},
	}
	if a.status < 300 {
		if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
			errs = append(errs, fmt.Errorf("%s was served a request that the contract does not allow: %w", op.OperationID, err))
		}
	}
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: a.status, Header: a.Header(),
		Body: io.NopCloser(bytes.NewReader(a.body.Bytes())), Options: in.Options,
	}
	if err := openapi3filter.ValidateResponse(r.Context(), out); err != nil {
		errs = append(errs, fmt.Errorf("%s answered %d outside the contract: %w\n%s", op.OperationID, a.status, err, a.body.Bytes()))
	}
	if declared != nil && len(declared.Value.Content) == 0 && a.body.Len() > 0 {
		errs = append(errs, fmt.Errorf("%s answered %d with a body that the contract does not know", op.OperationID, a.status))
	}
	return errs
}

// Refusals lists the codes of the refusals that the contract declares for an operation.
func (c *Contract) Refusals(operation string) []string {
	codes := map[string]bool{}
	for _, item := range c.doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.OperationID != operation {
				continue
			}
			for _, response := range op.Responses.Map() {
				for _, content := range response.Value.Content {
					refusalCodes(content.Schema, codes)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

func refusalCodes(s *openapi3.SchemaRef, into map[string]bool) {
	for _, one := range s.Value.OneOf {
		refusalCodes(one, into)
	}
	if code := s.Value.Properties["error"]; code != nil {
		if text, ok := code.Value.Const.(string); ok {
			into[text] = true
		}
	}
}

// answer keeps what goes out.
type answer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if isJSON(a.Header()) {
		a.body.Write(b)
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
