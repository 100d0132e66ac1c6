// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/fiftyarms/platform/internal/store"
)

// readsApart asks one team for what another has.
func readsApart(w *world, mine, theirs side) {
	reads := theirs.desk.reads(w.ctx(), theirs.desk.cards[0])
	for method := range methodsOf[store.WorkReader]() {
		if reads[method] == nil {
			w.Fatalf("nobody says how %s keeps to one team: add it to the table", method)
		}
		v, err := reads[method](mine.desk.WorkReader)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		w.must(err)
		seen, err := json.Marshal(v)
		w.must(err)
		for _, mark := range []string{theirs.Person.ID, theirs.desk.cards[0], "Agent 2"} {
			if strings.Contains(string(seen), mark) {
				w.Errorf("%s shows what another team has: %s", method, seen)
			}
		}
		if slices.Contains(ofOne, method) || method == "Board" {
			w.Errorf("%s finds what another team has: %s", method, seen)
		}
	}
}

// changesApart changes what another team has.
func changesApart(w *world, mine, theirs side) {
	writes := theirs.desk.writes(w.ctx())
	for method := range methodsOf[store.WorkTx]() {
		_, reading := methodsOf[store.WorkReader]()[method]
		switch {
		case reading: // as outside a change
			continue
		case writes[method] == nil:
			w.Fatalf("nobody says how %s keeps to one team: add it to the table", method)
		case slices.Contains([]string{"AddBoard", "AddImage", "Once", "Remember"}, method): // they name nothing that is there
			continue
		}
		if err := w.Change(w.ctx(), mine.Team.ID, writes[method]); err == nil {
			w.Errorf("%s changed what another team has", method)
		} else {
			w.refused(err, store.ErrNotFound)
		}
	}
	w.must(w.Change(w.ctx(), mine.Team.ID, func(tx store.WorkTx) error {
		readsWithin := theirs.desk.reads(w.ctx(), theirs.desk.cards[0])
		for _, method := range ofOne {
			_, err := readsWithin[method](tx)
			w.refused(err, store.ErrNotFound)
		}
		mine.desk.spree(tx)
		return nil
	}))
}
