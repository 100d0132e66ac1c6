// SPDX-License-Identifier: Apache-2.0

// Command dashboard serves the 50 Arms dashboard: see `dashboard --help`.
package main

import (
	"os"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/dashboard/app"
	"github.com/fiftyarms/platform/internal/demo"
)

func main() {
	os.Exit(cli.Main(app.Command(demo.Commands()...)))
}
