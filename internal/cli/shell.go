// SPDX-License-Identifier: Apache-2.0

package cli

import "strings"

// ShellWord is s as one word of a POSIX shell's command line.
func ShellWord(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ShellLine is args as a POSIX shell's command line.
func ShellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = ShellWord(a)
	}
	return strings.Join(quoted, " ")
}
