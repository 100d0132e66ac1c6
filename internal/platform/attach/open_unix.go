// SPDX-License-Identifier: Apache-2.0

//go:build unix

package attach

import (
	"os"
	"syscall"
)

// openPlain opens a file, but no link in its place, and waits for nobody: a FIFO has no writer.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
}
