// SPDX-License-Identifier: Apache-2.0

package handler

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/fiftyarms/platform/gen/dash"
)

// What a new hash costs: 19 MiB and two passes, about 20 ms.
const (
	hashKiB    = 19 * 1024
	hashPasses = 2
	hashLanes  = 1
	saltBytes  = 16
	hashBytes  = 32
)

// passwords hashes at most as many passwords at once as there are processors: more would only take memory. Some may wait
// for their turn; whoever comes when that many wait is told to come back, rather than to wait for minutes.
type passwords struct {
	random io.Reader
	turns  chan struct{}
	places chan struct{}
}

// waiting is how many may wait for each turn, about two seconds' worth.
const waiting = 100

func newPasswords(random io.Reader) *passwords {
	turns := runtime.GOMAXPROCS(0)
	return &passwords{random, make(chan struct{}, turns), make(chan struct{}, turns*waiting)}
}

// hash is a password's argon2id hash in PHC form, under a fresh salt.
func (p *passwords) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(p.random, salt); err != nil {
		return "", fmt.Errorf("salt: %w", err)
	}
	h := phc{kib: hashKiB, passes: hashPasses, lanes: hashLanes, salt: salt, sum: make([]byte, hashBytes)}
	var err error
	h.sum, err = p.sum(ctx, h, password)
	return h.String(), err
}

// matches says whether a password is the one behind a hash.
func (p *passwords) matches(ctx context.Context, hash, password string) (bool, error) {
	h, err := parsePHC(hash)
	if err != nil {
		return false, err
	}
	sum, err := p.sum(ctx, h, password)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(sum, h.sum) == 1, nil
}

// decoy costs as much as a password that does not match, so that an unknown address cannot be told by the time.
func (p *passwords) decoy(ctx context.Context, password string) error {
	nobody := phc{kib: hashKiB, passes: hashPasses, lanes: hashLanes, salt: make([]byte, saltBytes), sum: make([]byte, hashBytes)}
	_, err := p.matches(ctx, nobody.String(), password)
	return err
}

// sum does the work of a hash when its turn comes.
func (p *passwords) sum(ctx context.Context, h phc, password string) ([]byte, error) {
	select {
	case p.places <- struct{}{}:
		defer func() { <-p.places }()
	default:
		return nil, dash.RateLimitedRefusal{Message: "too many people sign in at once", RetryAfter: 3}
	}
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
		return argon2.IDKey([]byte(password), h.salt, h.passes, h.kib, h.lanes, uint32(len(h.sum))), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// phc is a hash with all that it takes to compute it again, so that what a new hash costs can change while old ones
// still hold.
type phc struct {
	kib, passes uint32
	lanes       uint8
	salt, sum   []byte
}

const phcForm = "$argon2id$v=19$m=%d,t=%d,p=%d$%s"

func (h phc) String() string {
	enc := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf(phcForm, h.kib, h.passes, h.lanes, enc(h.salt)+"$"+enc(h.sum))
}

func parsePHC(s string) (h phc, err error) {
	var rest string
	if _, err := fmt.Sscanf(s, phcForm, &h.kib, &h.passes, &h.lanes, &rest); err != nil {
		return h, fmt.Errorf("password hash: %w", err)
	}
	salt, sum, _ := strings.Cut(rest, "$")
	dec := base64.RawStdEncoding.Strict().DecodeString
	var errs [2]error
	h.salt, errs[0] = dec(salt)
	h.sum, errs[1] = dec(sum)
	if err := errors.Join(errs[:]...); err != nil {
		return h, fmt.Errorf("password hash: %w", err)
	}
	if h.kib < 8 || h.kib > 1<<20 || h.passes < 1 || h.passes > 64 || h.lanes < 1 || len(h.salt) < 8 || len(h.sum) < 16 {
		return h, errors.New("password hash: out of bounds")
	}
	return h, nil
}
