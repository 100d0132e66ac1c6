// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/shape"
	"github.com/fiftyarms/platform/internal/redact/view"
)

// shaped looks for a credential that has a shape of its own.
func (f *finder) shaped(p place, at int, of form, rule int) {
	s, anywhere := of.Shape, of.anywhere
	if f.walked(of.walk, at) || !anywhere && !s.Backward() && !leftEdge(p.text, at) {
		return
	}
	m, ok := s.Match(p.text, at)
	f.walk(of.walk, at, m.To)
	if ok {
		if !anywhere && !leftEdge(p.text, m.From) || made(p.text, m) {
			return
		}
		to := m.SecretTo
		if to == m.To {
			to = f.continued(p.text, m.SecretFrom, to)
		}
		f.add(p, m.SecretFrom, to, rule)
		return
	}
	if !anywhere && !leftEdge(p.text, at) {
		return
	}
	f.joined(p.text, at, func(v *view.View) bool {
		m, ok := s.Match(v.Text, 0)
		if !ok || made(v.Text, m) {
			return false
		}
		from, to := v.Source(m.SecretFrom, m.SecretTo)
		f.add(p, at+from, at+to, rule)
		return true
	})
}

// made tells whether a credential of the right shape was made up to show it.
func made(text []byte, m shape.Match) bool {
	secret := text[m.SecretFrom:m.SecretTo]
	if m.SecretFrom == m.From { // what it begins with is of the shape, and neither a variable's sign nor a mask
		secret = bytes.TrimLeft(secret, string(secret[:1]))
	}
	return credential.Placeholder(secret) || credential.Run(secret) || credential.WordsOnly(secret)
}
