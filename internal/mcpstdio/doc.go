// SPDX-License-Identifier: Apache-2.0

// Package mcpstdio serves an mcp-go MCPServer to one client over a pair of
// byte streams: JSON-RPC 2.0, one message a line, as the Model Context
// Protocol's stdio transport has it.
//
// # Why not mcp-go's own
//
// mcp-go decides what an answer says; this package decides only how messages
// come and go. mcp-go's stdio transport lets a result overtake the progress
// that was sent before it and drops notifications when 100 of them wait, makes
// every call wait behind five slow ones, loses the cancellation of a call that
// waits, bounds no line, has no tools per session, and keeps its session in a
// package variable.
//
// # Order on the wire
//
// One goroutine writes, and one queue feeds it: the channel that mcp-go sends
// its notifications to is also the queue of our own frames, so the order of
// sending is the order on the wire.
//
//   - [Session.Notify] returns when its notification has been handed to the
//     output. It never drops.
//   - mcp-go's SendNotificationToClient and its relatives keep their order
//     among themselves, with Notify, and with the result of the call that sent
//     them. mcp-go sends without waiting and gives up when the queue is full;
//     the session therefore holds the sender back, while it asks for the
//     queue, until half of it is free. A notification can be lost only if more
//     goroutines than that half has places (MaxInFlight + 768) send at the
//     same instant, and then the sender is told so by an error. mcp-go itself
//     refuses notifications before initialize. Their parameters are encoded
//     after the send returned, so a sender must not change them afterwards.
//   - What a handler sent before it returned, on any goroutine that it waited
//     for, precedes its result.
//
// # Order of work
//
// One goroutine reads. It handles initialize and every notification itself,
// before it reads on, so they take effect in the order of the input; a handler
// of a notification must therefore be quick. Every other request runs on a
// goroutine of its own, MaxInFlight at most; further ones wait in the order of
// their arrival, and can be cancelled while they do. A cancelled request gets
// no answer, whether it waits or runs.
//
// # Identity
//
// mcp-go reads an id into a float64. The answer's id is therefore the client's
// own bytes, 1 and "1" are two requests, and cancellation never goes through
// mcp-go. Hooks of mcp-go still see the rounded id.
//
// A handler's panic is answered by -32603 and logged; its value is kept from
// the client. Do not combine this with server.WithRecovery, which would put
// the value into the answer.
package mcpstdio
