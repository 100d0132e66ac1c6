// SPDX-License-Identifier: Apache-2.0

package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fiftyarms/platform/gen/dash"
)

func TestParse(t *testing.T) {
	many := make([]string, TopicsMost+1)
	for i := range many {
		many[i] = fmt.Sprintf("board:%d", i+1)
	}
	for _, tt := range []struct {
		text string
		want []Topic
		fail string // in the error
	}{
		{text: "team", want: []Topic{{Kind: Team}}},
		{text: "board:7", want: []Topic{{Kind: Board, Board: 7}}},
		{text: "board:9007199254740991", want: []Topic{{Kind: Board, Board: 1<<53 - 1}}},
		{text: "card:SHOP-12", want: []Topic{{Kind: Card, Card: "SHOP-12"}}},
		{text: "key:self", want: []Topic{{Kind: Key, Key: "k1"}}},
		{text: "board:1,card:A1-1,team,key:self", want: []Topic{{Kind: Board, Board: 1}, {Kind: Card, Card: "A1-1"}, {Kind: Team}, {Kind: Key, Key: "k1"}}},
		{text: "board:1,team,board:1", want: []Topic{{Kind: Board, Board: 1}, {Kind: Team}}},
		{text: strings.Repeat("team,", 50) + "team", want: []Topic{{Kind: Team}}},
		{text: "", fail: `the topic ""`},
		{text: "team,", fail: `the topic ""`},
		{text: "team, board:1", fail: `the topic " board:1"`},
		{text: "teams", fail: `the topic "teams": want board:<ref>, card:<id>, team or key:self`},
		{text: "team:acme", fail: `"team:acme"`},
		{text: "key:k2", fail: `"key:k2"`},
		{text: "key", fail: `"key"`},
		{text: "board", fail: `want a board's number, as in board:1`},
		{text: "board:0", fail: `"board:0"`},
		{text: "board:01", fail: `"board:01"`},
		{text: "board:-1", fail: `"board:-1"`},
		{text: "board:9007199254740992", fail: `"board:9007199254740992"`},
		{text: "board:SHOP", fail: `"board:SHOP"`},
		{text: "card:shop-1", fail: `want a card's id, as in card:SHOP-1`},
		{text: "card:SHOP", fail: `"card:SHOP"`},
		{text: "card:SHOP-0", fail: `"card:SHOP-0"`},
		{text: "plan:1", fail: `"plan:1"`},
		{text: strings.Join(many, ","), fail: `the topic "board:21": want at most 20 topics`},
		{text: strings.Repeat("ü", 500), fail: `üü…"`},
	} {
		got, err := Parse(tt.text, "k1")
		switch {
		case tt.fail == "" && err != nil:
			t.Errorf("%q: %v", tt.text, err)
		case tt.fail != "":
			var bad *TopicError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.fail) || len(err.Error()) > 300 {
				t.Errorf("%q: got %v, want %s", tt.text, err, tt.fail)
			}
		default:
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.text, diff)
			}
		}
	}
}

// What Parse takes, String writes again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"team", "board:1,card:SHOP-1,key:self", "board:01", "card:", ",", "card:A0-9999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		topics, err := Parse(text, "k")
		if err != nil {
			if len(topics) > 0 {
				t.Errorf("%q: topics and %v", text, err)
			}
			return
		}
		if len(topics) == 0 || len(topics) > TopicsMost {
			t.Errorf("%q: %d topics", text, len(topics))
		}
		again := make([]string, len(topics))
		for i, topic := range topics {
			again[i] = topic.String()
		}
		twice, err := Parse(strings.Join(again, ","), "k")
		if diff := cmp.Diff(topics, twice); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	})
}

func TestMatches(t *testing.T) {
	board, card := dash.BoardRef(1), "SHOP-1"
	ofCard := dash.Event{Kind: dash.EventKindIssueEdited, Board: &board, Issue: &card}
	ofBoard := dash.Event{Kind: dash.EventKindBoardEdited, Board: &board}
	ofKey := dash.Event{Kind: dash.EventKindKeyRevoked}
	parse := func(text, key string) []Topic {
		topics, err := Parse(text, key)
		if err != nil {
			t.Fatal(err)
		}
		return topics
	}
	for _, tt := range []struct {
		name   string
		event  dash.Event
		about  string
		topics []Topic
		want   bool
	}{
		{"the team has a card's", ofCard, "", parse("team", ""), true},
		{"the board has a card's", ofCard, "", parse("board:1", ""), true},
		{"the card has its own", ofCard, "", parse("card:SHOP-1", ""), true},
		{"one of several", ofCard, "", parse("board:2,card:SHOP-1", ""), true},
		{"another board", ofCard, "", parse("board:2", ""), false},
		{"another card", ofCard, "", parse("card:SHOP-2", ""), false},
		{"the card does not have its board's", ofBoard, "", parse("card:SHOP-1", ""), false},
		{"a key does not have the team's", ofCard, "", parse("key:self", "k1"), false},
		{"nor does nobody's", ofCard, "", parse("key:self", ""), false},
		{"a key has its own", ofKey, "k1", parse("key:self", "k1"), true},
		{"and nobody else's", ofKey, "k1", parse("key:self", "k2"), false},
		{"nor does the team", ofKey, "k1", parse("team", ""), false},
		{"nor a board, whatever the event says", ofCard, "k1", parse("board:1,card:SHOP-1,team", ""), false},
		{"no topics", ofCard, "", nil, false},
	} {
		if got := Matches(tt.event, tt.about, tt.topics); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestStale(t *testing.T) {
	for _, tt := range []struct {
		cursor, head int64
		want         bool
	}{
		{0, 0, false}, {5, 5, false}, {0, ReplayMost, false}, {0, ReplayMost + 1, true}, {1, ReplayMost + 1, false},
		{6, 5, true}, {1, 0, true},
	} {
		if got := Stale(tt.cursor, tt.head); got != tt.want {
			t.Errorf("%d of %d: %v", tt.cursor, tt.head, got)
		}
	}
}

func TestCursor(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1": 1, "41": 41, "9999999999999999": 9999999999999999} {
		if got, ok := ParseCursor(text); !ok || got != want || Cursor(got) != text {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-1", "01", "+1", " 1", "1 ", "x", "1.0", "10000000000000000", "99999999999999999999"} {
		if got, ok := ParseCursor(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// A stream goes on whatever happens, but for what becomes of its key.
func TestEnds(t *testing.T) {
	for _, kind := range []dash.EventKind{dash.EventKindIssueEdited, dash.EventKindBoardCreated, ""} {
		if why, ends := Ends(kind); ends {
			t.Errorf("%s ends a stream: %s", kind, why)
		}
	}
	if why, ends := Ends(dash.EventKindKeyRevoked); !ends || why != dash.EndReasonKeyRevoked {
		t.Errorf("a revoked key: %s, %v", why, ends)
	}
	if why, ends := Ends(dash.EventKindKeyGranted); !ends || why != dash.EndReasonPermissionsChanged {
		t.Errorf("a grant: %s, %v", why, ends)
	}
}

// The forms of ids are those of the contract.
func TestFormsOfTheContract(t *testing.T) {
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Pattern string
				Maximum int64
			}
		}
	}
	if err := json.Unmarshal(dash.Document, &doc); err != nil {
		t.Fatal(err)
	}
	if got := doc.Components.Schemas["IssueId"].Pattern; got != issueID.String() {
		t.Errorf("a card's id is %s", got)
	}
	if got := doc.Components.Schemas["BoardRef"].Maximum; got != boardMost {
		t.Errorf("a board's number is at most %d", got)
	}
}
