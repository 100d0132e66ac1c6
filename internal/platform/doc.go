// SPDX-License-Identifier: Apache-2.0

// Package platform is the MCP server that stands between one agent session and one dashboard.
//
//	env         what the environment says
//	secret      texts that nothing shows
//	contract    the dashboard's contract, as this build knows it
//	client      HTTP calls and streams, to the dashboard and nowhere else
//	keyfile     the session's key on disk
//	ask         what asking a person has in common
//	signin      who this process is to the dashboard
//	visibility  which tools a session is shown
//	watch       what the session's key may, as that changes
//	trio        the tools that reach every route
//	spill       files for answers that are long, or no text
//	permission  the tool that asks for more
//	attach      the tool that uploads files
//	doctor      what would be used, and what is wrong with it
//	mcphttp     MCP over HTTP, for clients that start no process
//	app         the command line
//
// This package binds them to the tool catalogue and serves it. Tools are defined in api/tools.yaml and nowhere else;
// their schemas go to the client as they stand there, and arguments are held to them before a tool sees them. What goes
// wrong in a call is an answer that says so: agents read answers, not protocol errors.
//
// A start reads settings and the session's key. A dispatch then reads what its key holds, and fails where it cannot; a
// session without a key calls nobody before its first call.
package platform
