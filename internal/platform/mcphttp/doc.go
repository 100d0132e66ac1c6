// SPDX-License-Identifier: Apache-2.0

// Package mcphttp serves MCP over streamable HTTP, as the revisions 2025-03-26 to 2025-11-25 of the protocol have it: one
// path, /mcp, to which a client POSTs its messages and from which it GETs what belongs to none of them.
//
// # A session is a server on a pair of pipes
//
// Each initialize opens a session, and each session is a server of its own ([Server]), which reads lines and writes
// lines just as it does on stdio. What is promised there is therefore promised here, by the same code: long calls hold
// up no others, what a call sends comes before its answer and in order, a cancelled call is cancelled, whether it runs or
// waits. This package decides only which HTTP answer a line belongs to:
//
//   - the answer to a request, to the POST that brought it;
//   - progress, to the POST whose request named its token;
//   - all else (a changed list, a request to the client) to the GET, once. While there is none it waits; of more than
//     [maxAside] that wait, the oldest are dropped. Of several GETs the newest is served and the older ones end.
//
// A POST whose first line is its answer is answered with JSON; else with an event stream. Writing to a client never holds
// up a session: lines wait in its stream, and a client that leaves more than [maxBehind] of them unread loses it.
//
// mcp-go has an HTTP transport too. It puts what a call sends on its way through a channel that the call's answer does not
// wait for: progress is lost, or comes on the GET; and it takes a lost connection for a cancellation, which the protocol
// does not.
//
// # What a session ends with
//
// DELETE, an hour without any request open or made, or the end of [Serve], which lets open calls go on for a few seconds.
// A client that goes away without DELETE cancels nothing: its calls end by themselves, and their answers are dropped.
// Streams cannot be resumed: no event carries an id.
//
// # Who may call
//
// Whoever has the token. Before that is looked at, the Host header has to name the address that is listened on, so that
// no page reaches a local server through a name of its own (DNS rebinding), and an Origin, which browsers send, has to be
// the same host or one that was allowed. Requests are refused in this order: Host, Origin, token, length, path, method.
package mcphttp
