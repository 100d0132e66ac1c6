// SPDX-License-Identifier: Apache-2.0

//go:build unix

package safefile

import (
	"io/fs"
	"syscall"
)

// ownedBy tells whether a file belongs to a user.
func ownedBy(uid int, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == uid
}
