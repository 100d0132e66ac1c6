// SPDX-License-Identifier: Apache-2.0

package claude

import "testing"

func TestWhatWasTyped(t *testing.T) {
	for _, c := range []struct{ raw, text, command, args string }{
		{raw: `hello`, text: `hello`},
		{raw: `  hello`, text: `hello`},
		{raw: ``},
		{raw: `\n`},
		{raw: `<b>bold</b> please`, text: `<b>bold</b> please`},
		{raw: `what does <system-reminder> mean?`, text: `what does <system-reminder> mean?`},
		{raw: `<system-reminder> is what?`, text: `<system-reminder> is what?`},
		{raw: `<system-reminder>\nToday is\n</system-reminder>`},
		{raw: `<system-reminder>x</system-reminder>\n\nreal prompt`, text: `real prompt`},
		{raw: `<ide_opened_file>a.go</ide_opened_file>`},
		{raw: `<ide_opened_file>a.go</ide_opened_file>\nfix it`, text: `fix it`},
		{raw: `<ide_selection>a</ide_selection><ide_opened_file>b</ide_opened_file> fix it`, text: `fix it`},
		{raw: `<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args></command-args>`, command: `/compact`},
		{raw: `<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>a b</command-args>`, command: `/review`, args: `a b`},
		{raw: `<command-name>/x</command-name> is what I see, why?`, text: `<command-name>/x</command-name> is what I see, why?`},
		{raw: `<local-command-stdout>ok</local-command-stdout>`},
		{raw: `<local-command-stdout>ok</local-command-stdout>\nwhat is this?`, text: `<local-command-stdout>ok</local-command-stdout>\nwhat is this?`},
		{raw: `<bash-input>ls</bash-input>`},
		{raw: `<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>`},
		{raw: `<task-notification>\n<task-id>1</task-id>\n</task-notification>`},
		{raw: `<teammate-message teammate_id=\"a\">done</teammate-message>`},
		{raw: `[Request interrupted by user for tool use]`},
		{raw: `This session is being continued from a previous conversation that ran out of context.`},
		{raw: `Stop hook feedback:\n- fix`},
		{raw: `fix it\n\n<system-reminder>\nToday is\n</system-reminder>`, text: `fix it`},
		{raw: `fix it\n<system-reminder>a</system-reminder>\n\n<ide_selection>b</ide_selection>\n `, text: `fix it`},
		{raw: `<system-reminder>x</system-reminder>\nfix it\n<system-reminder>y <system-reminder> y\n</system-reminder>`, text: `fix it`},
		{raw: `what does <system-reminder>x</system-reminder>`, text: `what does <system-reminder>x</system-reminder>`},
		{raw: `fix it\n<system-reminder>x</system-reminder> says what?`, text: `fix it\n<system-reminder>x</system-reminder> says what?`},
		{raw: `fix\\n<system-reminder>x</system-reminder>`, text: `fix\\n<system-reminder>x</system-reminder>`},
		{raw: `fix it\nx</system-reminder>`, text: `fix it\nx</system-reminder>`},
		{raw: `<task-notification>\n<task-id>1</task-id>\n</task-notification>\nwhat is this?`, text: `<task-notification>\n<task-id>1</task-id>\n</task-notification>\nwhat is this?`},
		{raw: `see: Stop hook feedback: is odd`, text: `see: Stop hook feedback: is odd`},
	} {
		got := typedIn([]byte(c.raw))
		text := c.raw[got.from:got.to]
		command, args := c.raw[got.command.From:got.command.To], c.raw[got.args.From:got.args.To]
		if text != c.text || command != c.command || args != c.args || got.none() != (c.text == "" && c.command == "") {
			t.Errorf("%s\nis %q, %q %q\nwant %q, %q %q", c.raw, text, command, args, c.text, c.command, c.args)
		}
	}
}
