// SPDX-License-Identifier: Apache-2.0

// Package wake says that there is news, and nothing else: whoever is woken reads the log. So no way of waking can lose an
// event, and one that is slow or goes silent only makes it late. Package inproc wakes within a process, package pgnotify
// also the other replicas on a PostgreSQL.
package wake

// A Waker carries the word that a team's log may have grown. It is safe for concurrent use.
type Waker interface {
	// Wake says so of a team; "" is any team. It does not wait for anybody. Call it after the commit.
	Wake(teamID string)
	// Watch calls f at each word, from any goroutine, until stop is called; f must not block. Words may be joined: many
	// of one team into one, many teams into "". After stop has returned f is not called any more.
	Watch(f func(teamID string)) (stop func())
}
