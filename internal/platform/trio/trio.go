// SPDX-License-Identifier: Apache-2.0

package trio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/fiftyarms/platform/internal/openapi"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/spill"
)

// Session makes calls with the session's key.
type Session interface {
	// Do makes one, and sets its Key. An error is a halt or a failure; 2xx and 4xx are answers.
	Do(ctx context.Context, call client.Call) (*client.Response, error)
}

// Options make a Trio.
type Options struct {
	Session  Session
	Client   *client.Client                    // builds requests; calls go through Session
	Contract func() (*openapi.Document, error) // this build's, indexed when first asked for
	Board    int64                             // the session's own; 0 where it has none
	Now      func() time.Time
	Random   io.Reader     // safe for concurrent use
	Spill    *spill.Folder // takes long answers; nil is this user's own
}

// Trio is the three tools. It is safe for concurrent use.
type Trio struct {
	session  Session
	client   *client.Client
	contract func() (*openapi.Document, error)
	board    int64
	random   io.Reader
	spill    *spill.Folder
	routes   routeCache
}

// New makes the tools.
func New(o Options) *Trio {
	if o.Spill == nil {
		o.Spill = spill.New(spill.Options{Now: o.Now, Random: o.Random})
	}
	return &Trio{
		session: o.Session, client: o.Client, contract: o.Contract, board: o.Board, random: o.Random, spill: o.Spill, routes: routeCache{now: o.Now},
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
