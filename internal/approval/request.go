// SPDX-License-Identifier: Apache-2.0

// Package approval holds the rules of asking a person and being answered. It reads no request and no row.
//
// A request is decided once, by a person, and only as they saw it. Its canonical form ([Canonical]) holds everything
// that the page shows; a decision names its [Digest], so a request that changed under the person's eyes cannot be
// decided by mistake. A request that nobody decided within [DecideWithin] has expired, and so has an approval that
// nobody collected within [CollectWithin]: no row is written for that, [StatusAt] judges it by the clock.
package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/fiftyarms/platform/gen/dash"
)

// canonical is the first version of a request's canonical form. A field that the page comes to show joins it under a
// new version.
type canonical struct {
	Version     int    `json:"v"`
	Kind        string `json:"kind"`
	PublicID    string `json:"publicId"`
	Title       string `json:"title"`
	Team        string `json:"team"` // its slug
	Client      client `json:"client"`
	Address     string `json:"address"`
	ConfirmCode string `json:"confirmCode"`
	CreatedAt   string `json:"createdAt"`
	ExpiresAt   string `json:"expiresAt"`
}

type client struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Host    string `json:"host"`
	Project string `json:"project"`
}

// Canonical is a pending access request as one line of JSON, always with the same keys in the same order. What is
// absent is the empty string. Status, digest, grants and decision are not part of it: they are no words of the asker.
func Canonical(r dash.AccessRequest) ([]byte, error) {
	c := canonical{
		Version:     1,
		Kind:        "access",
		PublicID:    r.PublicID,
		Title:       text(r.Title),
		Client:      client{r.Client.Name, text(r.Client.Version), text(r.Client.Host), text(r.Client.Project)},
		Address:     r.Address,
		ConfirmCode: r.ConfirmCode,
		CreatedAt:   r.CreatedAt.String(),
		ExpiresAt:   r.ExpiresAt.String(),
	}
	if r.Team != nil {
		c.Team = r.Team.Slug
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // so that other languages find the same bytes
	if err := enc.Encode(c); err != nil {
		return nil, fmt.Errorf("canonical access request: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Digest is the SHA-256 of the canonical form, in hex.
func Digest(r dash.AccessRequest) (string, error) {
	b, err := Canonical(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
