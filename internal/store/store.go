// SPDX-License-Identifier: Apache-2.0

// Package store says what the dashboard keeps and what it asks of a database, whichever it is. The interface speaks
// in whole changes, each atomic: what must hold together is one method. Package storetest holds the suite that every
// store passes; package sqlstore is the store for SQLite and PostgreSQL.
//
// Rows are the contract's own types where they are the same thing. The types here differ from the wire where a row
// holds what no caller may see (hashes, the team a row belongs to) or holds a time that the wire only shows the
// outcome of.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
)

// Errors that a caller tells apart. Everything else is the database failing.
var (
	ErrNotFound  = errors.New("not found")
	ErrConflict  = errors.New("conflict")          // the state of the row rules the change out
	ErrDuplicate = errors.New("already there")     // a unique value is taken
	ErrSchema    = errors.New("unexpected schema") // the database is newer than this build
	ErrText      = errors.New("text with NUL or bytes that are not UTF-8")
)

// A Store keeps everything. Times come from the caller, to the millisecond; ids and hashes too. What lapses at a time
// holds until the millisecond before it. Methods are safe for concurrent use; a cancelled context leaves nothing half
// done. A row that points at one that is not there, or is another team's, is ErrNotFound; an id or hash that is taken
// is ErrDuplicate; text that not every database can hold is ErrText.
type Store interface {
	// Ping says whether the database answers.
	Ping(ctx context.Context) error
	// Instance is the random name that this database got when it was made.
	Instance(ctx context.Context) (string, error)
	Close() error

	Founder
	People
	Keys
	AccessRequests
	PermissionRequests
	Audit
	PlanSessions
	Work
}

// Founder makes the first team.
type Founder interface {
	// IsSetUp says whether there is a team.
	IsSetUp(ctx context.Context) (bool, error)
	// OfferSetup makes tokenHash the one that SetUp takes, in place of any before: the last start's link is the one.
	OfferSetup(ctx context.Context, tokenHash string) error
	// SetUp makes the first team, its first person and their browser session, and ends the offer. ErrConflict where a
	// team exists (told first), ErrNotFound where tokenHash is not the one on offer.
	SetUp(ctx context.Context, tokenHash string, f Founding) error
}

// Founding is what SetUp makes.
type Founding struct {
	Team   Team
	Person Person
	Login  Login
	Trail  Trail
}

// Team is a tenant: every other row belongs to one.
type Team struct {
	ID        string
	Slug      string
	Name      string
	CreatedAt time.Time
}

// Person is someone who signs in and decides.
type Person struct {
	ID           string
	TeamID       string
	Name         string
	Email        string // as it was given; compared without regard to case
	PasswordHash string // argon2id in PHC form
	Permissions  []dash.Permission
	CreatedAt    time.Time
}

// Login is a browser session. The cookie holds the token, the row its hash.
type Login struct {
	TokenHash string
	PersonID  string
	TeamID    string
	CSRFToken string
	CreatedAt time.Time
	ExpiresAt time.Time
	Trail     Trail // of the sign-in; not read back
}

// People finds who signs in, and keeps their browser sessions.
type People interface {
	// TeamByRef finds a team by its slug or its id.
	TeamByRef(ctx context.Context, ref string) (Team, error)
	// AddPerson adds a person to a team. ErrDuplicate where the address is taken.
	AddPerson(ctx context.Context, p Person) error
	PersonByEmail(ctx context.Context, email string) (Person, error)
	// Owner is a person of a team, by their id: whose a key is.
	Owner(ctx context.Context, teamID, personID string) (Person, error)
	// CreateLogin keeps a browser session, and forgets those that had lapsed by l.CreatedAt.
	CreateLogin(ctx context.Context, l Login) error
	// Login finds a browser session that holds at now, with its person and team.
	Login(ctx context.Context, tokenHash string, now time.Time) (Login, Person, Team, error)
	// DeleteLogin ends a browser session. Ending one that is gone is no error.
	DeleteLogin(ctx context.Context, tokenHash string) error
}

// Key is an agent's key. The agent holds the key, the row its hash.
type Key struct {
	ID          string
	TeamID      string
	Hash        string
	Prefix      string
	Title       string
	OwnerID     string
	OwnerName   string // read only: from the owner's row
	Permissions []dash.Permission
	CreatedAt   time.Time
	LastUsedAt  time.Time
	RevokedAt   time.Time // zero while it holds
	RevokedBy   dash.PersonRef
	Trail       Trail // of its being issued; not read back
}

// Keys keeps the keys that approvals hand out.
type Keys interface {
	// KeyByHash finds a key, revoked or lapsed or not, with its team.
	KeyByHash(ctx context.Context, hash string) (Key, Team, error)
	// TouchKey notes a use, unless a later one is noted. There is nothing to note on a key that is not there.
	TouchKey(ctx context.Context, id string, at time.Time) error
	// ListKeys answers at most limit keys of a team, newest first, after the one that the cursor names.
	ListKeys(ctx context.Context, q KeyQuery) ([]Key, error)
	// RevokeKey revokes a key of a team, of one owner if ownerID is set. Revoking again changes nothing.
	// ErrNotFound where there is no such key for the caller.
	RevokeKey(ctx context.Context, r Revocation) error
}

// KeyQuery asks for a page of keys.
type KeyQuery struct {
	TeamID  string
	OwnerID string // "" is everyone's
	After   Position
	Limit   int
}

// Position is a place in a list that runs from new to old: what comes after the row created at At with this id. The
// zero Position is the start.
type Position struct {
	At time.Time
	ID string
}

// Revocation is a person ending a key.
type Revocation struct {
	KeyID   string
	TeamID  string
	OwnerID string // "" is whoever's key it is
	By      dash.PersonRef
	At      time.Time
	Trail   Trail // a second revocation leaves none
}

// AccessRequest is an agent asking for a key.
type AccessRequest struct {
	PublicID    string
	SecretHash  string
	Team        Team // the zero Team: answered by its link alone
	Title       string
	Client      dash.AskingClient
	Address     string
	ConfirmCode string
	Digest      string
	Status      dash.RequestStatus // as written: pending, approved, denied, revision_requested or claimed, never expired
	CreatedAt   time.Time
	ExpiresAt   time.Time // of the decision while pending, of the collection once approved
	Decision    *RequestDecision
	KeyID       string // the key that was collected
}

// RequestDecision is what a person made of an access request.
type RequestDecision struct {
	Verdict     dash.RequestDecisionVerdict
	By          dash.PersonRef
	TeamID      string // the decider's, and so the key's
	At          time.Time
	Note        string
	Permissions []dash.Permission // with approved
	Trail       Trail             // not read back
}

// AccessRequests keeps who asks for a key and what became of it.
type AccessRequests interface {
	CreateAccessRequest(ctx context.Context, r AccessRequest) error
	AccessRequest(ctx context.Context, publicID string) (AccessRequest, error)
	AccessRequestBySecret(ctx context.Context, secretHash string) (AccessRequest, error)
	// ListAccessRequests answers at most limit requests that named the team or that a person of it decided, newest
	// first.
	ListAccessRequests(ctx context.Context, q AccessRequestQuery) ([]AccessRequest, error)
	// DecideAccessRequest writes the decision if the request is pending at d.At and its digest is the one named; one
	// statement decides, so of two racing decisions one wins. ErrConflict otherwise, ErrNotFound where there is none, or
	// it named another team than d.TeamID. The request's ExpiresAt becomes collectBy; its Team stays as it was named.
	DecideAccessRequest(ctx context.Context, publicID, digest string, d RequestDecision, collectBy time.Time) error
	// CollectKey makes the key of an approved request and marks the request claimed, both or neither. Of two racing
	// calls one wins; the other, and any call for a request that is not approved by k.TeamID or lapsed at k.CreatedAt,
	// gets ErrConflict. ErrNotFound where no request has the secret.
	CollectKey(ctx context.Context, secretHash string, k Key) error
	// ForgetAccessRequests deletes the requests that nobody collected a key from and that ended before the given time: at
	// the decision that denied them or sent them back, else when they expired.
	ForgetAccessRequests(ctx context.Context, before time.Time) (int64, error)
}

// AccessRequestQuery asks for a page of access requests. Status may be expired; that, and what waits, is judged at Now.
type AccessRequestQuery struct {
	TeamID  string
	Status  dash.RequestStatus // "" is any
	Waiting *bool              // whether a decision is still possible; nil is either
	Now     time.Time
	After   Position
	Limit   int
}

// PlanSession is a connected agent session. One key has one at most.
type PlanSession struct {
	ID          string
	TeamID      string
	KeyID       string
	Title       string
	Agent       dash.AgentRef
	ConnectedAt time.Time
}

// PlanSessions keeps which sessions are connected and which agent each acts as.
type PlanSessions interface {
	// Connect connects the session of s.KeyID. One that is connected keeps its id, agent and time and takes the title.
	// Otherwise it takes the team's lowest-numbered agent that no session of a live key holds, or a new one, "Agent <n>".
	// A key is live if it is not revoked and was used at or after liveSince. A session that loses its agent so has ended.
	// s.Agent is not read. ErrNotFound where the team has no such key.
	Connect(ctx context.Context, s PlanSession, liveSince time.Time) (PlanSession, error)
	// SessionByKey is the session that a key has connected. ErrNotFound where it has none.
	SessionByKey(ctx context.Context, keyID string) (PlanSession, error)
	// Leave ends the session of a key. ErrNotFound where it has none.
	Leave(ctx context.Context, keyID string) error
}
