// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package safefile

const nonBlocking = 0 // these systems have no pipes among files
