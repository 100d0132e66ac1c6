// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// Work keeps what teams work on: boards, cards with everything on them, and the log of what happened.
type Work interface {
	// Of is what one team has. Nothing of another team is reachable through it.
	Of(teamID string) WorkReader
	// Change runs f in one transaction: all of it happens, with its events, or none. The changes of a team run one after
	// the other, whichever process makes them, so what f reads holds until it ends, and events are numbered in the order
	// in which they become visible. f must not keep tx. An error of f undoes everything and is handed on as it is. So does
	// one of tx that is no answer (a value that is taken, a reference to nothing), even if f goes on after it.
	// ErrNotFound where there is no such team.
	Change(ctx context.Context, teamID string, f func(tx WorkTx) error) error
}

// WorkReader reads what one team has. What the team does not have is ErrNotFound where one thing is asked for, and
// nothing where a list is.
type WorkReader interface {
	// Board reads a board with its counts, one for each status in the order of the contract.
	Board(ctx context.Context, ref int64) (dash.Board, error)
	// Boards answers at most limit boards in the order of their refs, after that of ref after.
	Boards(ctx context.Context, after int64, limit int) ([]dash.Board, error)

	// Issue reads a card as it always is, with its gates and without anything that is opted into. board 0 is any board;
	// a card of another is ErrNotFound.
	Issue(ctx context.Context, board int64, id dash.IssueID) (Issue, error)
	// Issues answers at most q.Limit cards by board, status (as text, byte by byte), position and id.
	Issues(ctx context.Context, q IssueQuery) ([]Issue, error)
	// Link is a card as others name it.
	Link(ctx context.Context, id dash.IssueID) (dash.IssueLink, error)
	// Needs lists the cards that have to end before a card can: what it waits for and, of an Epic, its children.
	Needs(ctx context.Context, id dash.IssueID) ([]dash.IssueID, error)

	Description(ctx context.Context, id dash.IssueID) (string, error)
	Acceptance(ctx context.Context, id dash.IssueID) ([]dash.AcceptanceItem, error) // by id
	// WaitingOn is what a card waits for, the cards by id; nil where it waits for none.
	WaitingOn(ctx context.Context, id dash.IssueID) (*dash.WaitingOn, error)
	// Blocks lists the cards that wait for a card, by id.
	Blocks(ctx context.Context, id dash.IssueID) ([]dash.IssueLink, error)
	Conflicts(ctx context.Context, id dash.IssueID) ([]dash.Conflict, error) // by the other's id
	Children(ctx context.Context, id dash.IssueID) ([]Issue, error)          // of an Epic, in the order of Issues
	// Attachments lists a card's files, oldest first. Whether one is the cover is for the card to say: IsPrimary is false.
	Attachments(ctx context.Context, id dash.IssueID) ([]Attachment, error)
	Attachment(ctx context.Context, id dash.IssueID, attachment string) (Attachment, error)
	// Image is what an upload kept.
	Image(ctx context.Context, id string) (Image, error)
	// Comments answers at most limit comments, oldest first, after that with id after.
	Comments(ctx context.Context, id dash.IssueID, after int64, limit int) ([]dash.Comment, error)
	Comment(ctx context.Context, id dash.IssueID, comment int64) (dash.Comment, error)
	// History answers at most limit events of a card, newest first, before the one with that number; before 0 is the end.
	History(ctx context.Context, id dash.IssueID, before int64, limit int) ([]Event, error)

	People(ctx context.Context) ([]dash.PersonRef, error) // by name, then id
	Agents(ctx context.Context) ([]dash.AgentRef, error)  // by number

	// Events answers at most limit events in the order of their numbers, after that with number after. It never shows an
	// event before all with lower numbers are to be seen.
	Events(ctx context.Context, after int64, limit int) ([]Event, error)
	// EventHead is the number of the newest event; 0 where there is none.
	EventHead(ctx context.Context) (int64, error)
}

// Issue is a card with its place in its column. Its members that are opted into are empty.
type Issue struct {
	dash.Issue
	Position int64
}

// IssueQuery asks for a page of cards. The zero value of each member asks for any.
type IssueQuery struct {
	Board  int64
	Status dash.IssueStatus
	Type   dash.IssueType
	Parent dash.IssueID
	Agent  int64
	Ready  *bool  // in ToDo with no gate shut, or not
	Text   string // in the id or the title, whatever its case
	After  IssuePlace
	Limit  int
}

// IssuePlace is a place in the list of cards: what comes after it. The zero IssuePlace is the start.
type IssuePlace struct {
	Board    int64
	Status   dash.IssueStatus
	Position int64
	ID       dash.IssueID
}

// Attachment is a file of a card. Its bytes are the blob of that name; a file that takes new ones takes a new blob.
type Attachment struct {
	dash.Attachment
	Blob string
}

// Image is an image that a text shows. Its bytes are the blob named like it.
type Image struct {
	ID          string
	ContentType string // as its bytes look
	Bytes       int64
	Sha256      string
	By          dash.Actor
	At          time.Time
}

// Event is one entry of a team's log. Its Cursor is its number in decimal.
type Event struct {
	dash.Event
	Number int64  // the same; given by the store
	KeyID  string // the key that it is about, and whose stream alone gets it; "" of others
}

// WorkTx reads and changes what one team has, within one transaction. It checks only what the tables do: references
// (ErrNotFound) and unique values (ErrDuplicate). The rules are for the caller to ask.
type WorkTx interface {
	WorkReader

	// AddBoard keeps a board under the team's next ref, with version 1, and answers that ref. Counts is not read.
	// ErrDuplicate where the prefix is taken.
	AddBoard(ctx context.Context, b dash.Board) (int64, error)
	// SaveBoard writes a board's name, description, repo, version and time of change.
	SaveBoard(ctx context.Context, b dash.Board) error

	// AddIssue keeps a card under its board's next number, with version 1, at the end of its column, and answers its id.
	// ID, Gates and DescriptionHash are not read; of what is opted into, only Description is.
	AddIssue(ctx context.Context, i dash.Issue) (dash.IssueID, error)
	// SaveIssue writes what a card says, its parent, version and time of change; its Description if that is not nil.
	// The status and place are for PlaceIssue alone.
	SaveIssue(ctx context.Context, i dash.Issue) error
	// PlaceIssue moves a card to a status of its board: after another card there, or to the top or the end. The version
	// and time of no card change. ErrNotFound where after is not in that column, or is the card itself.
	PlaceIssue(ctx context.Context, id dash.IssueID, status dash.IssueStatus, to Place) error

	// SetWaitingOn makes a card wait for others, in place of what it waited for. No reason and no cards end it.
	SetWaitingOn(ctx context.Context, id dash.IssueID, reason string, by []dash.IssueID) error
	// SetConflict makes two cards conflict, for both alike, or takes another reason.
	SetConflict(ctx context.Context, one, other dash.IssueID, reason string) error
	// ClearConflict ends a conflict for both cards. ErrNotFound where there is none.
	ClearConflict(ctx context.Context, one, other dash.IssueID) error
	// AddAcceptanceItem keeps an item under its card's next number, which no other item had, with version 1.
	AddAcceptanceItem(ctx context.Context, id dash.IssueID, title string) (dash.AcceptanceItem, error)
	SaveAcceptanceItem(ctx context.Context, id dash.IssueID, item dash.AcceptanceItem) error
	RemoveAcceptanceItem(ctx context.Context, id dash.IssueID, item int64) error
	// AddComment keeps a comment under its card's next number and answers that. ID is not read.
	AddComment(ctx context.Context, id dash.IssueID, c dash.Comment) (int64, error)
	AddAttachment(ctx context.Context, id dash.IssueID, a Attachment) error
	// SaveAttachment writes what is said of a file, but for its place in the list.
	SaveAttachment(ctx context.Context, id dash.IssueID, a Attachment) error
	RemoveAttachment(ctx context.Context, id dash.IssueID, attachment string) error
	AddImage(ctx context.Context, i Image) error

	// Append writes events to the log, numbered in their order. Cursor and Number are not read. It answers the last number.
	Append(ctx context.Context, events ...Event) (int64, error)

	// Once says what a call with this key created before: "" where there was none, or it was longer ago than o.Since.
	// ErrConflict where the key came with another call.
	Once(ctx context.Context, o Once) (subject string, err error)
	// Remember notes what a call created, for Once, in place of an older note, and forgets the team's older ones.
	Remember(ctx context.Context, o Once, subject string) error
}

// Once names a call that is to create once, however often it comes.
type Once struct {
	Caller    string // the key or person that calls
	Operation string
	Key       string // as the caller chose it
	Digest    string // of the call: the same key on another is a mistake
	At        time.Time
	Since     time.Time // notes that are older do not count
}

// Place is where in a column a card goes.
type Place struct {
	After dash.IssueID // "" is the top or the end
	Top   bool         // with no After: the top
}
