// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestShellWord(t *testing.T) {
	tests := []struct{ in, want string }{
		{"platform-mcp", "platform-mcp"},
		{"DANXBOT_DASHBOARD_URL=https://dash.example.com:8443", "DANXBOT_DASHBOARD_URL=https://dash.example.com:8443"},
		{"", "''"},
		{"/home/ada/my clone", "'/home/ada/my clone'"},
		{"it's", `'it'\''s'`},
		{"$(x) `y` ~ * ; & | > \" \\ !", `'$(x) ` + "`y`" + ` ~ * ; & | > " \ !'`},
	}
	for _, tt := range tests {
		if got := ShellWord(tt.in); got != tt.want {
			t.Errorf("ShellWord(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestAShellReadsBackWhatWasQuoted asks a real one.
func TestAShellReadsBackWhatWasQuoted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no POSIX shell")
	}
	args := []string{"go", "-C", "/home/ada/it's a clone", "$HOME", "a\nb", "`id`", "", "~", "é"}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\0' `+ShellLine(args)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(args, "\x00") + "\x00"; string(out) != want {
		t.Errorf("the shell read %q, want %q", out, want)
	}
}
