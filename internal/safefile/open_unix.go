// SPDX-License-Identifier: Apache-2.0

//go:build unix

package safefile

import "syscall"

const nonBlocking = syscall.O_NONBLOCK // means nothing to a plain file
