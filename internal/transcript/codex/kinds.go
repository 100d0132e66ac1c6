// SPDX-License-Identifier: Apache-2.0

package codex

import "strings"

func names(of string) map[string]bool {
	set := map[string]bool{}
	for n := range strings.FieldsSeq(of) {
		set[n] = true
	}
	return set
}

// The kinds of records that clients have written so far. Others are counted, so that a new one is noticed.
var (
	envelopes = names(`session_meta turn_context response_item event_msg compacted world_state
		inter_agent_communication inter_agent_communication_metadata`)

	items = names(`message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
		local_shell_call web_search_call tool_search_call tool_search_output image_generation_call compaction
		compaction_summary compaction_trigger context_compaction agent_message ghost_snapshot additional_tools other`)

	events = names(`user_message agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break
		agent_message_delta agent_reasoning_delta agent_reasoning_raw_content_delta agent_message_content_delta
		reasoning_content_delta reasoning_raw_content_delta plan_delta token_count task_started turn_started task_complete
		turn_complete turn_aborted thread_rolled_back context_compacted exec_command_begin exec_command_output_delta
		exec_command_end exec_approval_request terminal_interaction patch_apply_begin patch_apply_updated patch_apply_end
		apply_patch_approval_request mcp_tool_call_begin mcp_tool_call_end mcp_startup_update mcp_startup_complete
		mcp_list_tools_response web_search_begin web_search_end image_generation_begin image_generation_end
		view_image_tool_call dynamic_tool_call_request dynamic_tool_call_response request_permissions request_user_input
		elicitation_request guardian_assessment guardian_warning entered_review_mode exited_review_mode item_started
		item_completed raw_response_item session_configured thread_name_updated thread_goal_updated
		thread_settings_applied sub_agent_activity error warning stream_error background_event deprecation_notice
		model_reroute model_verification turn_diff turn_moderation_metadata plan_update undo_started undo_completed
		hook_started hook_completed get_history_entry_response list_custom_prompts_response list_skills_response
		list_remote_skills_response remote_skill_downloaded skills_update_available realtime_conversation_started
		realtime_conversation_realtime realtime_conversation_closed realtime_conversation_sdp
		realtime_conversation_list_voices_response shutdown_complete`)
)
