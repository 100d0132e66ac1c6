// SPDX-License-Identifier: Apache-2.0

// Package trio is the three tools that reach every route of the dashboard: call one, list them, read their contract.
//
// The dashboard is the judge of a call. What this build's contract can tell without the network is told before it, as a
// courtesy: a path that could reach something else than it shows, a parameter that is not filled in, a field that is
// missing, a value of the wrong type, a route that does not exist. Such an answer looks like the dashboard's and is
// marked "checked": "client". A route that only the dashboard knows is let through.
//
// A call that the contract marks as being about a board gets the session's own, unless the caller names another. A call
// that the contract lets come twice carries a key of its own for that; it, and what only reads, is made once more when
// the network lost it before an answer. Nothing else is made twice.
//
// Bodies are handed on as raw JSON in both directions, so that the order of keys, unknown keys and integers above 2^53
// survive. Of an answer an agent may take a part, by a jq expression; an expression that fails loses no answer. What is
// over 60,000 bytes, or no text, is answered as a file. An answer that is not as this build's contract has it is handed
// on whole, with a note of where: the dashboard may be newer, or broken.
package trio
