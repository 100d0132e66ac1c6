// SPDX-License-Identifier: Apache-2.0

package opencode

import (
	"context"
	"strings"

	"github.com/fiftyarms/platform/internal/jsonscan"
)

// A store is where sessions are kept: a database, or files in folders.
type store interface {
	session(ctx context.Context, id string) (session, error)
	// children are the sessions that a session started, in the order in which it did.
	children(ctx context.Context, id string) ([]session, error)
	// messages are the ids of a session's messages, in order.
	messages(ctx context.Context, session string) ([]string, error)
	// message is a message's record. It holds until the next call of any.
	message(ctx context.Context, session, id string) ([]byte, error)
	// parts calls each for the records of a message's parts, in order.
	parts(ctx context.Context, message string, each func(id string, data []byte) error) error
	close() error
}

// A session is what stands in a session's own record.
type session struct {
	id, parent, directory, title, version string
	revert                                revert
	updated                               int64 // milliseconds
}

// A revert is where the person went back to: what comes from there on is hidden until it is removed.
type revert struct{ message, part string }

func (r *revert) scan(s *jsonscan.Scanner) {
	s.Members(func(key []byte) {
		switch string(key) {
		case "messageID":
			r.message = word(s)
		case "partID":
			r.part = word(s)
		}
	})
}

// takes tells whether a message, or from a part of it on the rest, was taken back. Ids are in the order of time.
func (r *revert) takes(message string) bool {
	return r.message != "" && (message > r.message || message == r.message && r.part == "")
}

func (r *revert) takesPart(message, part string) bool {
	return r.takes(message) || r.message == message && r.message != "" && part >= r.part
}

// name is a session's title, unless it is what each has at first.
func (s *session) name() string {
	for _, first := range []string{"New session - ", "Child session - "} {
		if strings.HasPrefix(s.title, first) {
			return ""
		}
	}
	return s.title
}
