// SPDX-License-Identifier: Apache-2.0

// Package client makes single HTTP calls to one dashboard and judges nothing but what every caller has to know:
// whether an answer came, whether it is the dashboard's, and whether the dashboard still serves this build.
//
//   - A key goes to the configured scheme, host and path prefix and nowhere else. Redirects are not followed; one is an
//     error that names where it leads.
//   - 2xx and 4xx are answers. 5xx, redirects, and whatever the network does are a *Failure.
//   - Each call has one time limit, and limits for connecting and for the first byte of the answer; a call that carries a
//     file has in the place of the first one for standing still. An answer's body is bounded, unless the caller takes it
//     as it comes, and so is how many calls run at once.
//   - What comes in is rid of the process's own secrets before anything quotes or cuts it. A body that echoes the key is
//     therefore not handed on byte for byte: that is the one exception, and meant.
//   - No call is repeated here. (net/http repeats one that it could not write to a connection that had gone idle, and
//     one that reads or carries an Idempotency-Key, whose idle connection was closed under it. It repeats no other.)
//   - An X-Mcp-Min-Version above this build's version, on whatever answer, stops the client for good: that call and
//     all later ones are an *Outdated.
package client
