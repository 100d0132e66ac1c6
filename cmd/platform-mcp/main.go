// SPDX-License-Identifier: Apache-2.0

// Command platform-mcp serves a 50 Arms dashboard to an MCP client over stdio.
package main

import (
	"os"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/platform/app"
)

func main() { os.Exit(cli.Main(app.Command())) }
