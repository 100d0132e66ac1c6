// SPDX-License-Identifier: Apache-2.0

package contract

import "strconv"

// What x-board-scope says of an operation.
const (
	BoardRequired = "required" // it is about one board
	BoardOptional = "optional" // it is about one board, or all
)

// largestSafe is the largest integer that every JSON reader keeps: 2^53 - 1.
const largestSafe = 1<<53 - 1

// ParseBoard reads the number of a board, which has one spelling: no sign, no leading zero, no blank.
func ParseBoard(text string) (board int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 1 && n <= largestSafe && strconv.FormatInt(n, 10) == text
}
