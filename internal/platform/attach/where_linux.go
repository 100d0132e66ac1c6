// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"fmt"
	"os"
	"strings"
)

// whereIs is where an open file lies, whatever its path leads to by now; false where the system does not say.
func whereIs(file *os.File) (path string, ok bool) {
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	return path, err == nil && strings.HasPrefix(path, "/")
}
