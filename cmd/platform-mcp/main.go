// SPDX-License-Identifier: Apache-2.0

// Command platform-mcp serves a 50 Arms dashboard to MCP clients, over stdio or HTTP.
package main

import (
	"os"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/platform/app"
)

func main() { os.Exit(cli.Main(app.Command())) }
