// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/client"
)

// Session makes calls with the session's key.
type Session interface {
	// Call makes one. An error is a halt or a failure; 2xx and 4xx are answers.
	Call(ctx context.Context, req *http.Request) (*client.Response, error)
}

// Options make a Trio.
type Options struct {
	Session  Session
	Client   *client.Client                    // builds requests; calls go through Session
	Contract func() (*openapi.Document, error) // this build's, indexed when first asked for
	Board    int64                             // the session's own; 0 where it has none
	Now      func() time.Time
	Random   io.Reader // safe for concurrent use
}

// Trio is the three tools. It is safe for concurrent use.
type Trio struct {
	session  Session
	client   *client.Client
	contract func() (*openapi.Document, error)
	board    int64
	random   io.Reader
	routes   routeCache
}

// New makes the tools.
func New(o Options) *Trio {
	return &Trio{
		session: o.Session, client: o.Client, contract: o.Contract, board: o.Board, random: o.Random, routes: routeCache{now: o.Now},
	}
}

// encode is v as JSON in which "<" stays one character: nobody renders it as HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
