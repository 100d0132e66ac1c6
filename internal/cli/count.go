// SPDX-License-Identifier: Apache-2.0

package cli

import "strconv"

// Count is a number of things of a name, which takes an s where there is not one of them.
func Count[N ~int | ~int64](n N, name string) string {
	if n != 1 {
		name += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + name
}
