// SPDX-License-Identifier: Apache-2.0

package event

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fiftyarms/platform/gen/dash"
)

// TopicsMost is how many topics one stream may have.
const TopicsMost = 20

// Kind is what a topic is about.
type Kind string

// The kinds of topics.
const (
	Team  Kind = "team"  // everything in the team
	Board Kind = "board" // a board and its cards
	Card  Kind = "card"  // a card
	Key   Kind = "key"   // what becomes of a key
)

// A Topic is something that a stream follows. It is comparable; members that are not of its kind are zero.
type Topic struct {
	Kind  Kind
	Board dash.BoardRef
	Card  dash.IssueID
	Key   string // the key's id, which never stands on the wire
}

// String is the topic as it stands on the wire.
func (t Topic) String() string {
	switch t.Kind {
	case Board:
		return "board:" + strconv.FormatInt(t.Board, 10)
	case Card:
		return "card:" + t.Card
	case Key:
		return keySelf
	}
	return string(t.Kind)
}

const keySelf = "key:self"

// A TopicError says which topic is none.
type TopicError struct {
	Topic string // as it was given, cut if it is long
	Want  string
}

// Error says what the topic should be.
func (e *TopicError) Error() string { return fmt.Sprintf("the topic %q: want %s", e.Topic, e.Want) }

// Parse reads topics that are joined by commas, each once however often it is given. key:self stands for the key with
// that id; it has no id where a person asks, which is for the caller to refuse.
func Parse(text, keyID string) ([]Topic, error) {
	var topics []Topic
	for given := range strings.SplitSeq(text, ",") {
		t, want := parse(given, keyID)
		if want != "" {
			return nil, &TopicError{Topic: cut(given), Want: want}
		}
		if slices.Contains(topics, t) {
			continue
		}
		if topics = append(topics, t); len(topics) > TopicsMost {
			return nil, &TopicError{Topic: cut(given), Want: fmt.Sprintf("at most %d topics", TopicsMost)}
		}
	}
	return topics, nil
}

// These are the forms of BoardRef and IssueId in the contract; a test compares them.
const boardMost = 1<<53 - 1

var (
	boardRef = regexp.MustCompile(`^[1-9][0-9]{0,15}$`)
	issueID  = regexp.MustCompile(`^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,9}$`)
)

// parse reads a topic, or says what it should be.
func parse(text, keyID string) (t Topic, want string) {
	kind, name, _ := strings.Cut(text, ":")
	switch {
	case text == string(Team):
		return Topic{Kind: Team}, ""
	case text == keySelf:
		return Topic{Kind: Key, Key: keyID}, ""
	case kind == string(Board):
		ref, err := strconv.ParseInt(name, 10, 64)
		if err != nil || ref > boardMost || !boardRef.MatchString(name) {
			return Topic{}, "a board's number, as in board:1"
		}
		return Topic{Kind: Board, Board: ref}, ""
	case kind == string(Card):
		if !issueID.MatchString(name) {
			return Topic{}, "a card's id, as in card:SHOP-1"
		}
		return Topic{Kind: Card, Card: name}, ""
	}
	return Topic{}, "board:<ref>, card:<id>, team or key:self"
}

// cut bounds what an error repeats.
func cut(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
