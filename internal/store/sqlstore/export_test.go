// SPDX-License-Identifier: Apache-2.0

package sqlstore

import "database/sql"

// Reason is reason, for the external tests: those in the package cannot import testkit, which imports the package.
var Reason = reason

// MigrationLock takes the lock under which PostgreSQL is migrated.
const MigrationLock = migrationLock

// Pools are the store's connections.
func (s *Store) Pools() (write, read *sql.DB) { return s.write, s.read }
