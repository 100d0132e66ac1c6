// SPDX-License-Identifier: Apache-2.0

// Package live holds the one script of the pages. It makes a page that works without it follow what happens: it holds
// the stream of events, fetches again the regions of the page that an event concerns, sends forms without leaving the
// page, and lets cards be moved by hand.
//
// The page decides everything and the script only shows it: whatever came in between, a region ends as the server
// renders it. A region is an element with an id and data-region. It says in data-on which kinds of events concern it
// ("*" for all), and in data-status, where it is a column, which status it shows. A page that is asked with the header
// X-Fragment answers with those regions alone.
//
// `go generate ./...` bundles main.ts and what it imports into live.gen.js.
package live

import (
	_ "embed"

	"github.com/fiftyarms/platform/internal/dashboard/web/assets"
)

//go:embed live.gen.js
var script []byte

// Script is the bundle.
var Script = assets.New("live.js", script)
