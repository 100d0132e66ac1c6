// SPDX-License-Identifier: Apache-2.0

// Package platform is the MCP server that stands between one agent session and one dashboard.
//
//	env       what the environment says
//	secret    texts that nothing shows
//	contract  the dashboard's contract, as this build knows it
//	client    single HTTP calls, to the dashboard and nowhere else
//	keyfile   the session's key on disk
//	signin    who this process is to the dashboard
//	trio      the tools that reach every route
//	app       the command line
//
// This package binds them to the tool catalogue and serves it. Tools are defined in api/tools.yaml and nowhere else;
// their schemas go to the client as they stand there, and arguments are held to them before a tool sees them. What goes
// wrong in a call is an answer that says so: agents read answers, not protocol errors.
//
// A start reads settings and nothing more: no network, no key file, no contract. All of that waits for the first call.
package platform
