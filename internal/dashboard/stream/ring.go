// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/fiftyarms/platform/gen/dash"
	"github.com/fiftyarms/platform/internal/event"
	"github.com/fiftyarms/platform/internal/sse"
	"github.com/fiftyarms/platform/internal/store"
)

// An entry is an event that is ready to be sent.
type entry struct {
	number int64
	topics []event.Topic
	sign   Sign // for the streams of the key that it is about: Revoked, Judge, or none
	frame  []byte
}

func newEntry(e store.Event) (entry, error) {
	e.Cursor = event.Cursor(e.Number)
	data, err := json.Marshal(e.Event)
	if err != nil {
		return entry{}, fmt.Errorf("event %d: %w", e.Number, err)
	}
	var sign Sign
	switch why, ends := event.Ends(e.Kind); {
	case ends && why == dash.EndReasonKeyRevoked:
		sign = Revoked
	case ends: // those that began after it go on
		sign = Judge
	}
	return entry{
		number: e.Number, topics: event.Of(e.Event, e.KeyID), sign: sign,
		frame: sse.Frame{ID: e.Cursor, Event: string(e.Kind), Data: data}.Append(make([]byte, 0, len(data)+64)),
	}, nil
}

// A ring holds the newest entries of a log: all those with numbers above from, up to at.
type ring struct {
	bounds   bounds
	from, at int64
	entries  []entry
	bytes    int
}

// add adds entries, of which there are some.
func (r *ring) add(entries []entry) {
	r.at = entries[len(entries)-1].number
	for _, e := range entries {
		r.bytes += len(e.frame)
	}
	r.entries = append(r.entries, entries...)
	for len(r.entries) > r.bounds.frames || r.bytes > r.bounds.bytes {
		r.from = r.entries[0].number
		r.bytes -= len(r.entries[0].frame)
		r.entries[0] = entry{} // the array lives on
		r.entries = r.entries[1:]
	}
}

// after lists the entries with numbers above cursor, which is not below from.
func (r *ring) after(cursor int64) []entry {
	return r.entries[sort.Search(len(r.entries), func(i int) bool { return r.entries[i].number > cursor }):]
}
