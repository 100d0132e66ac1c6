// SPDX-License-Identifier: Apache-2.0

package app_test

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fiftyarms/platform/internal/cli"
	"github.com/fiftyarms/platform/internal/flatbread/app"
	_ "github.com/fiftyarms/platform/internal/testkit" // -update
)

// TestMain lets the test binary be flatbread, so that tests meet the real process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"flatbread": func() { os.Exit(cli.Main(app.Command())) }})
}

func TestScripts(t *testing.T) {
	cover := t.TempDir()
	testscript.Run(t, testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCOVERDIR", cover) // without one, a binary of "go test -cover" complains on stderr
			env.Setenv("HOME", env.WorkDir+"/home")
			return nil
		},
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		UpdateScripts: flag.Lookup("update").Value.String() == "true", // testkit's, as for all goldens
	})
}
