// SPDX-License-Identifier: Apache-2.0

//go:build unix

package spill

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedBy tells whether a folder belongs to a user.
func ownedBy(uid int, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == uid
}

// tighten takes from a folder what others may do there.
func tighten(dir *os.Root) error { return dir.Chmod(".", 0o700) }
