// SPDX-License-Identifier: Apache-2.0

package sqlstore_test

import (
	"testing"

	"github.com/fiftyarms/platform/internal/store/sqlstore"
	"github.com/fiftyarms/platform/internal/store/storetest"
	"github.com/fiftyarms/platform/internal/testkit"
)

func TestStore(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, e testkit.Engine) {
		storetest.Run(t, func(t testing.TB) storetest.Store { return open(t, e.Fresh(t)) })
	})
}

// open opens a store until the test ends.
func open(t testing.TB, url string) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), url, sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
