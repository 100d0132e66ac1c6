// SPDX-License-Identifier: Apache-2.0

// Command flatbread reads what a coding agent did and makes one trace of it.
package main

import (
	"os"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/app"
)

func main() { os.Exit(cli.Main(app.Command())) }
