// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"regexp"
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Acme", "acme"},
		{"  Acme & Sons, Ltd. ", "acme-sons-ltd"},
		{"R2-D2", "r2-d2"},
		{"修理", ""},
		{"", ""},
		{"---", ""},
		{strings.Repeat("ab ", 60), strings.TrimSuffix(strings.Repeat("ab-", 34)[:100], "-")},
	}
	valid := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) // as the contract has it
	for _, tt := range tests {
		got := Slug(tt.name)
		if got != tt.want {
			t.Errorf("Slug(%q) = %q, want %q", tt.name, got, tt.want)
		}
		if got != "" && (!valid.MatchString(got) || len(got) > 100) {
			t.Errorf("Slug(%q) = %q, which the contract does not take", tt.name, got)
		}
	}
}
