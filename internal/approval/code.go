// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"
	"io"
)

// What a confirm code is made of: nothing that looks or sounds like another sign, and no vowels, so that no word comes
// out of it.
const (
	codeLetters = "BCDFGHJKMNPRSTVWXZ"
	codeDigits  = "23456789"
)

// NewConfirmCode makes a code of four letters and four digits, like KTRM-4829, each as likely as any other. A person
// compares it in two places; it opens nothing.
func NewConfirmCode(random io.Reader) (string, error) {
	letters, err := pick(random, codeLetters, 4)
	if err != nil {
		return "", fmt.Errorf("confirm code: %w", err)
	}
	digits, err := pick(random, codeDigits, 4)
	if err != nil {
		return "", fmt.Errorf("confirm code: %w", err)
	}
	return letters + "-" + digits, nil
}

// pick takes n signs of an alphabet. A byte beyond the last whole multiple of the alphabet is thrown away: its
// remainder would favour the first signs.
func pick(random io.Reader, alphabet string, n int) (string, error) {
	whole := 256 - 256%len(alphabet)
	signs := make([]byte, 0, n)
	for b := make([]byte, 1); len(signs) < n; {
		if _, err := io.ReadFull(random, b); err != nil {
			return "", err
		}
		if int(b[0]) < whole {
			signs = append(signs, alphabet[int(b[0])%len(alphabet)])
		}
	}
	return string(signs), nil
}
