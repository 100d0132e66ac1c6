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
	Kind        Kind   `json:"kind"`
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
		Kind:        Access,
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
	return oneLine(c)
}

// canonicalPermission is the first version of a permission request's canonical form.
type canonicalPermission struct {
	Version     int               `json:"v"`
	Kind        Kind              `json:"kind"`
	PublicID    string            `json:"publicId"`
	KeyID       string            `json:"key"`
	KeyPrefix   string            `json:"prefix"`
	KeyTitle    string            `json:"title"`
	Owner       string            `json:"owner"` // the person's id
	Permissions []dash.Permission `json:"permissions"`
	Reason      string            `json:"reason"`
	Address     string            `json:"address"`
	ConfirmCode string            `json:"confirmCode"`
	CreatedAt   string            `json:"createdAt"`
	ExpiresAt   string            `json:"expiresAt"`
}

// CanonicalPermission is Canonical for a permission request. What the key holds already is not part of it: another grant
// may come in between, and changes nothing of what is asked for.
func CanonicalPermission(r dash.PermissionRequest) ([]byte, error) {
	return oneLine(canonicalPermission{
		Version: 1, Kind: Permission, PublicID: r.PublicID, KeyID: r.Key.ID, KeyPrefix: r.Key.Prefix, KeyTitle: r.Key.Title,
		Owner: r.Key.Owner.ID, Permissions: r.Permissions, Reason: r.Reason, Address: r.Address, ConfirmCode: r.ConfirmCode,
		CreatedAt: r.CreatedAt.String(), ExpiresAt: r.ExpiresAt.String(),
	})
}

func oneLine(c any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // so that other languages find the same bytes
	if err := enc.Encode(c); err != nil {
		return nil, fmt.Errorf("canonical request: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Digest is the SHA-256 of the canonical form of an access request, in hex.
func Digest(r dash.AccessRequest) (string, error) { return digest(Canonical(r)) }

// PermissionDigest is Digest for a permission request.
func PermissionDigest(r dash.PermissionRequest) (string, error) {
	return digest(CanonicalPermission(r))
}

func digest(canonical []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
