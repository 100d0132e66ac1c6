// SPDX-License-Identifier: Apache-2.0

package copilot

import (
	"bytes"

	"github.com/fiftyarms/platform/internal/transcript"
)

// known are the types of events that clients have written so far, but for those of the families below. Others are
// counted, so that a new one is noticed.
var known = transcript.Names(`session.start session.resume session.remote_steerable_changed session.error session.idle
	session.title_changed session.schedule_created session.schedule_cancelled session.schedule_rearmed
	session.autopilot_objective_changed session.info session.warning session.model_change session.mode_changed
	session.mode_notice_delivered session.session_limits_changed session.permissions_changed session.plan_changed
	session.todos_changed session.workspace_file_changed session.handoff session.truncation session.snapshot_rewind
	session.shutdown session.usage_checkpoint session.usage_record session.context_changed session.usage_info
	session.context_cleared session.compaction_start session.compaction_complete session.task_complete
	session.auto_mode_resolved session.managed_settings_resolved session.managed_settings_enforced
	session.tools_updated session.background_tasks_changed session.skills_loaded session.custom_agents_updated
	session.custom_notification session.mcp_servers_loaded session.mcp_server_status_changed
	session.mcp_tools_list_changed session.mcp_resources_list_changed session.mcp_prompts_list_changed
	session.extensions_loaded session.extensions.attachments_pushed session.binary_asset
	user.message pending_messages.modified
	assistant.turn_start assistant.turn_end assistant.intent assistant.idle assistant.reasoning assistant.message
	assistant.usage assistant.server_tool_progress
	tool.user_requested tool.execution_start tool.execution_partial_result tool.execution_progress
	tool.execution_complete tool_search.activated skill.invoked abort result
	subagent.started subagent.configured subagent.completed subagent.failed subagent.selected subagent.deselected
	system.message system.notification commands.changed capabilities.changed mcp_app.tool_call_complete`)

// families are types of which nothing but the beginning matters.
var families = [][]byte{
	[]byte("hook."), []byte("permission."), []byte("external_tool."), []byte("command."), []byte("user_input."),
	[]byte("elicitation."), []byte("sampling."), []byte("mcp."), []byte("auto_mode_switch."), []byte("exit_plan_mode."),
	[]byte("session_limits_exhausted."), []byte("session.canvas."), []byte("session.fusion"), []byte("assistant.fusion"),
	[]byte("factory."), []byte("model."), []byte("ui."),
}

func knownKind(kind []byte) bool {
	if known[string(kind)] {
		return true
	}
	for _, f := range families {
		if bytes.HasPrefix(kind, f) {
			return true
		}
	}
	return bytes.HasPrefix(kind, []byte("assistant.")) && (bytes.HasSuffix(kind, []byte("_delta")) || bytes.HasSuffix(kind, []byte("_start")))
}
