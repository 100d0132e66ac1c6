// SPDX-License-Identifier: Apache-2.0

package dashboard

import "time"

// Hurry shortens how long the server waits for slow callers, and for calls that run when it ends.
func (s *Server) Hurry(read, drain time.Duration) {
	s.limits.header, s.limits.read, s.limits.drain = read, read, drain
}

// HurryWrites shortens how long an answer may take.
func (s *Server) HurryWrites(write time.Duration) { s.limits.write = write }
