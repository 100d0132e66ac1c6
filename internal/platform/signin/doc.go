// SPDX-License-Identifier: Apache-2.0

// Package signin is who this process is to the dashboard: the one place that holds a key, asks a person for one, and
// lets it go.
//
// A dispatch comes with its credential. It is used as it is and never replaced.
//
// Any other session is in one of these states:
//
//	signed out   no key. Every tool but plan_connect answers one halt.
//	asked        an access request waits for a person; a poll in the background claims its key.
//	signed in    the key came from the session's file, or a person has just approved it.
//	revoked      a person revoked the key. Every tool answers one halt for the rest of the process, a dispatch's too.
//
// A 401 on the session's key signs it out and forgets the file; it is the key that lapsed. Only the code key_revoked
// means that a person wants this work to stop, and then nothing is asked for again.
package signin
