// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"net/http"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/env"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

const (
	callLimit = 5 * time.Second
	wholeTime = 15 * time.Second
)

// Options are what Run looks with.
type Options struct {
	Lookup    func(string) (string, bool) // of variables, as os.LookupEnv is one
	Home      func() (string, error)      // the home folder, as os.UserHomeDir finds it
	Version   string                      // of this build, as major.minor.patch
	Now       func() time.Time            // time.Now, or a test's
	Transport http.RoundTripper           // nil is the client's own
}

// examination is one run.
type examination struct {
	o      Options
	config env.Config
	known  *secret.Known
	client *client.Client
	key    secret.Text // zero when there is none to use
	report dash.DoctorReport
}

// Run looks at everything that it can in 15 s. What it could not look at is left out of the report.
func Run(ctx context.Context, o Options) dash.DoctorReport {
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	x := &examination{o: o, known: new(secret.Known)}
	x.report = dash.DoctorReport{
		Ok: true, Version: o.Version, Contract: dash.ContractVersion, Checks: []dash.DoctorCheck{}, Settings: []dash.DoctorSetting{},
	}
	starts := x.settings()
	x.findKey()
	if x.config.Dashboard != "" && x.connect(ctx) {
		defer x.client.Close()
		x.askKey(ctx)
		x.contract(ctx)
		x.board(ctx)
	}
	x.report.Tools = dash.DoctorTools{Shown: []string{}, Hidden: []dash.DoctorHiddenTool{}}
	if starts {
		x.tools()
	}
	return x.report
}

func (x *examination) ok(name, detail string) { x.say(name, dash.DoctorCheckLevelOk, detail, "") }
func (x *examination) warn(name, detail, fix string) {
	x.say(name, dash.DoctorCheckLevelWarn, detail, fix)
}
func (x *examination) fail(name, detail, fix string) {
	x.say(name, dash.DoctorCheckLevelFail, detail, fix)
}

func (x *examination) say(name string, level dash.DoctorCheckLevel, detail, fix string) {
	check := dash.DoctorCheck{Name: name, Level: level, Detail: x.known.Hide(detail)}
	if fix != "" {
		check.Fix = &fix
	}
	x.report.Checks = append(x.report.Checks, check)
	x.report.Ok = x.report.Ok && level != dash.DoctorCheckLevelFail
}
