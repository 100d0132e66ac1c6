// SPDX-License-Identifier: Apache-2.0

//go:build unix

package safefile

import (
	"io/fs"
	"os"
	"syscall"
)

// ours tells whether a file belongs to the user that this process acts as.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
