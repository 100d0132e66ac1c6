// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/platform/client"
	"github.com/fiftyarms/platform/internal/platform/secret"
)

// KeyStore keeps the session's key across processes.
type KeyStore interface {
	// Load reads the key; zero when there is none.
	Load() (secret.Text, error)
	// Save writes the key.
	Save(secret.Text) error
	// Forget removes the key if it is still this one.
	Forget(secret.Text) error
}

// Options make a Session.
type Options struct {
	Client     *client.Client
	Credential secret.Text // of a dispatch; zero for a person's session
	Keys       KeyStore
	Team       string // whose approvers are asked; "" leaves it to the link
	Now        func() time.Time
	After      func(time.Duration) <-chan time.Time // time.After, or a test's
	Log        *slog.Logger
	Known      *secret.Known // is told the session's secrets, so that it can hide them; nil is not told
}

// Session is the process's standing with one dashboard. It is safe for concurrent use.
type Session struct {
	client   *client.Client
	dispatch bool
	keys     KeyStore
	team     string
	now      func() time.Time
	after    func(time.Duration) <-chan time.Time
	log      *slog.Logger
	known    *secret.Known

	ctx    context.Context // of the background poll
	end    context.CancelFunc
	claims context.Context // of each claim: one under way outlives the poll for a while
	giveUp context.CancelFunc
	polls  sync.WaitGroup
	asking chan struct{} // holds one token while an access request is being made

	mu      sync.Mutex
	key     secret.Text
	tenure  context.Context // ends when the key is let go or replaced; over where there is no key
	over    context.CancelFunc
	news    chan struct{}                  // closed at the next change of the key
	loaded  bool                           // the key store was read since the session was last signed out
	dead    map[[sha256.Size]byte]struct{} // keys that lapsed: a store may hold one that it cannot remove
	revoked *Revoked                       // for good
	request *request                       // the access request that a person has not decided, or whose decision is not told yet
}

// New makes a session. It reads and sends nothing before it is asked to. The caller closes it.
func New(o Options) *Session {
	s := &Session{
		client: o.Client, dispatch: !o.Credential.IsZero(), keys: o.Keys, team: o.Team,
		now: o.Now, after: o.After, log: o.Log, known: o.Known, dead: map[[sha256.Size]byte]struct{}{},
		loaded: !o.Credential.IsZero(), asking: make(chan struct{}, 1), news: make(chan struct{}),
	}
	s.known.Add(o.Credential)
	s.ctx, s.end = context.WithCancel(context.Background())
	s.tenure, s.over = context.WithCancel(s.ctx)
	s.hold(o.Credential)
	s.claims, s.giveUp = context.WithCancel(context.Background())
	return s
}

// closeGrace is how long a claim under way at the end may still bring the key that a person has granted.
const closeGrace = 2 * time.Second

// Close ends the poll of a request that still waits, and returns when it has ended: after at most 2 s.
func (s *Session) Close() {
	s.end()
	late := time.AfterFunc(closeGrace, s.giveUp)
	defer late.Stop()
	s.polls.Wait()
	s.giveUp()
}

// Ready tells whether calls can be made. The error is a *SignedOut, a *Revoked or a *client.Outdated.
func (s *Session) Ready() error {
	_, err := s.standing()
	return err
}

// Call makes a call with the session's key. The error is one of Ready's, one of the client's, or the halt that the
// answer brought about.
func (s *Session) Call(ctx context.Context, req *http.Request) (*client.Response, error) {
	key, err := s.standing()
	if err != nil {
		return nil, err
	}
	if err := s.tells(req); err != nil {
		return nil, err
	}
	return s.call(ctx, client.Call{Request: req, Key: key})
}

func (s *Session) call(ctx context.Context, call client.Call) (*client.Response, error) {
	resp, err := s.client.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	if resp.Status == http.StatusUnauthorized {
		if err := s.refused(call.Key, resp); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// Halted is why nothing works any more, plan_connect included: a *Revoked or a *client.Outdated; else nil.
func (s *Session) Halted() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.halted()
}

func (s *Session) halted() error {
	if s.revoked != nil {
		return s.revoked
	}
	return s.client.Halted()
}

// standing is the key to call with, or why there is none.
func (s *Session) standing() (secret.Text, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held()
}

// held is standing. s.mu is held.
func (s *Session) held() (secret.Text, error) {
	if err := s.halted(); err != nil {
		return secret.Text{}, err
	}
	s.load()
	if s.key.IsZero() {
		return secret.Text{}, &SignedOut{s.client.Dashboard()}
	}
	return s.key, nil
}

// load reads the key store once. s.mu is held.
func (s *Session) load() {
	if s.loaded {
		return
	}
	s.loaded = true
	key, err := s.keys.Load()
	if err != nil {
		s.log.Warn("the stored key is not used: this session starts signed out", "error", err)
	}
	if _, dead := s.dead[sum(key)]; dead {
		return
	}
	s.known.Add(key)
	s.hold(key)
}

// reload reads the key store once more: another process of this session may have put a key there. It tells whether
// there is a key. s.mu is held.
func (s *Session) reload() bool {
	if s.key.IsZero() {
		s.loaded = false
		s.load()
	}
	return !s.key.IsZero()
}

func sum(key secret.Text) [sha256.Size]byte { return sha256.Sum256([]byte(key.Reveal())) }

// refused weighs a 401. The error is the halt that follows; nil lets the answer through.
func (s *Session) refused(key secret.Text, resp *client.Response) error {
	code := resp.Code()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.revoked != nil:
		return s.revoked
	case !s.key.IsZero() && !key.Equal(s.key):
		return nil // an answer about a key that another call has already replaced
	case code == codeRevoked:
		s.revoked = revokedIn(s.client.Dashboard(), resp.Body)
		s.log.Warn("the key was revoked: no dashboard tool works any more", "by", s.revoked.By, "at", s.revoked.At)
		s.drop()
		if s.request != nil {
			s.conclude(s.request, outcome{err: s.revoked})
		}
		return s.revoked
	case s.dispatch:
		return nil
	case code == (dash.WrongCredentialsRefusal{}).RefusalCode():
		return nil // about the address and password in the body, not about the key
	}
	if !s.key.IsZero() { // else another call was told the same
		s.log.Info("the key lapsed: this session is signed out")
		s.drop()
	}
	return &SignedOut{s.client.Dashboard()}
}

// drop lets the key go, here and in the store. s.mu is held.
func (s *Session) drop() {
	if !s.dispatch {
		if err := s.keys.Forget(s.key); err != nil {
			s.log.Warn("the key file was not removed", "error", err)
		}
	}
	s.dead[sum(s.key)] = struct{}{}
	// Another process of this session may have signed in since: the store is worth another look.
	s.loaded = s.dispatch
	s.hold(secret.Text{})
}
