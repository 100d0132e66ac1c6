// SPDX-License-Identifier: Apache-2.0

// Package env reads platform-mcp's settings, all of which come from the environment.
//
//   - DANXBOT_DASHBOARD_URL: where the dashboard is. The one that has to be set.
//   - DANX_DASHBOARD_CREDENTIAL: the key of a dispatch. With it the session never signs in or out.
//   - DANXBOT_TEAM: whose approvers see this session's access request.
//   - CLAUDE_CODE_SESSION_ID: names the session's key file. Without it the key is kept in memory.
//   - XDG_CONFIG_HOME: where key files lie, ~/.config by default.
//   - DANXBOT_HTTP_TOKEN: what clients over HTTP have to send. Without it one is made.
//
// Three more are held to their form, though no tool of this build asks for them: DANXBOT_BOARD_ID, a board's number;
// DANXBOT_SLACK_REPLY_URL, where replies to a Slack thread go; DANXBOT_EXTRA_TOOLS, what a dispatch has opted in to,
// joined by commas.
//
// A variable that is set to nothing counts as not set: that is what "${NAME:-}" in a client's configuration makes of a
// missing one. Everything else that makes no sense is refused, an unsubstituted "${NAME}" in any of them included, so
// that a wrong setting is met at the start and not at the first call.
package env
