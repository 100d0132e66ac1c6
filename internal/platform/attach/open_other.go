// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package attach

import "os"

// openPlain opens a file. What was put in its place is told by the look at it afterwards.
func openPlain(path string) (*os.File, error) { return os.Open(path) }
