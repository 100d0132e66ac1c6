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
// survive.
package trio
