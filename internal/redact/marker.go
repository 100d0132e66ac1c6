// SPDX-License-Identifier: Apache-2.0

package redact

import "bytes"

var markerBegins, markerEnds = []byte("«REDACTED:"), []byte("»")

// withoutMarkers leaves alone what of the spans is redacted already.
func withoutMarkers(text []byte, spans []span) []span {
	at := bytes.Index(text, markerBegins)
	if at < 0 {
		return spans
	}
	var out []span
	i := 0
	for at >= 0 && i < len(spans) {
		end := bytes.Index(text[at:min(len(text), at+80)], markerEnds)
		if end < 0 {
			end = len(markerBegins) - len(markerEnds)
		}
		end += at + len(markerEnds)
		for i < len(spans) && spans[i].From < end {
			s := spans[i]
			if s.To <= at {
				out = append(out, s)
				i++
				continue
			}
			if s.From < at {
				out = append(out, span{s.From, at, s.Rule})
			}
			if s.To <= end {
				i++
				continue
			}
			spans[i].From = end
			break
		}
		next := bytes.Index(text[end:], markerBegins)
		if next < 0 {
			break
		}
		at = end + next
	}
	return append(out, spans[i:]...)
}

// Marker is what stands where a rule took something out.
func Marker(rule string) string { return string(markerBegins) + rule + string(markerEnds) }
