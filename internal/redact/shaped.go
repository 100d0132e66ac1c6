// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"github.com/fiftyarms/platform/internal/redact/credential"
	"github.com/fiftyarms/platform/internal/redact/shape"
	"github.com/fiftyarms/platform/internal/redact/view"
)

// shaped looks for a credential that has a shape of its own.
func (f *finder) shaped(p place, at int, s *shape.Shape, rule int, anywhere bool) {
	m, ok := s.Match(p.text, at)
	if ok {
		if !anywhere && !leftEdge(p.text, m.From) || made(p.text[m.SecretFrom:m.SecretTo]) {
			return
		}
		to := m.SecretTo
		if to == m.To {
			to = continued(p.text, m.SecretFrom, to)
		}
		f.add(p, m.SecretFrom, to, rule)
		return
	}
	if !anywhere && !leftEdge(p.text, at) {
		return
	}
	joined(p.text, at, func(v *view.View) bool {
		m, ok := s.Match(v.Text, 0)
		if !ok || made(v.Text[m.SecretFrom:m.SecretTo]) {
			return false
		}
		from, to := v.Source(m.SecretFrom, m.SecretTo)
		f.add(p, at+from, at+to, rule)
		return true
	})
}

// made tells whether a credential of the right shape was made up to show it.
func made(secret []byte) bool {
	return credential.Placeholder(secret) || credential.Run(secret) || credential.WordsOnly(secret)
}
