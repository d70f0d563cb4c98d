"""foreign_keys: keys that people bring from other systems, and what they are called here. A table, nothing else.

A test holds every place to the schema; `*` stands for a name and `[]` for an index.
"""

from __future__ import annotations

from functools import cache
from typing import Final

_FOREIGN: Final[dict[str, str]] = {
    # how long it may work
    "execution.max_iterations": (
        "max_turns maxTurns max_steps maxSteps max_iter max_iters maxIter maxIterations max_tool_iterations "
        "maxToolIterations max_loops max_rounds maxRounds recursion_limit recursionLimit step_limit "
        "turn_limit iteration_limit iterations steps turns max_agent_turns max_consecutive_auto_reply "
        "request_limit max_cycles max_model_calls stop_after max_tool_rounds"
    ),
    "execution.limits.tokens": (
        "max_total_tokens total_tokens_limit token_budget tokenBudget token_limit max_tool_tokens "
        "maxToolTokens budget_tokens"
    ),
    "execution.limits.cost_usd": (
        "cost max_cost max_cost_usd maxCostUsd max_cost_us total_budget_usd total_cost_usd max_budget "
        "max_budget_usd cost_limit budget_usd max_spend max_price budget_cents"
    ),
    "execution.limits.wall_clock": (
        "max_time max_duration max_execution_time maxExecutionTime deadline deadline_ms wall_clock_ms "
        "wall_time time_limit timeLimit max_runtime max_seconds run_timeout duration_limit"
    ),
    "execution.limits.tool_calls": "max_tool_calls maxToolCalls tool_calls_limit tool_call_limit max_calls max_actions",
    "execution.limits.provider_calls": "max_llm_calls max_requests llm_calls_limit max_api_calls",
    "execution.limits.consecutive_failures": (
        "max_consecutive_failures max_failures max_errors error_limit max_consecutive_errors"
    ),
    "execution.limits": "budget budgets usage_limits quotas caps guards",
    "execution.iteration_budget": "adaptive_budget autonomy_budget",
    "execution.iteration_budget.extend_by": "extension extend_step",
    "execution.max_nudges": "nudge_limit max_text_turns",
    "execution.wrap_up": (
        "final_wrapup final_answer_turn early_stopping_method early_stopping summary_on_limit force_final_answer"
    ),
    # when it is done
    "execution.loop_until_done": "until_done run_until_done keep_going autonomous agentic_loop",
    "execution.done_sentinel": (
        "stop_word done_token completion_token termination_msg is_termination_msg stop_phrase finish_marker done_marker"
    ),
    "execution.verify_completion": (
        "completion_gate verify verifier verify_command acceptance accept_answer acceptAnswer exit_criteria "
        "success_criteria done_when completion_check"
    ),
    "execution.verify_completion_judge": "done_judge completion_judge judge llm_judge evaluator critic",
    "execution.turn_end_condition": "turn_end_judge turn_judge end_condition termination_condition",
    "execution.step_judge": "step_verifier action_judge",
    "execution.input_guardrail": (
        "guardrails guardrail input_guardrails inputGuardrails pre_turn_scope_classifier moderation"
    ),
    "execution.require_successful_tools": "required_tools must_call must_use_tools requireTools",
    "execution.stop_after_successful_tools": (
        "stop_on_tools stop_at_tools stopAtTools stop_tools terminal_tools final_tools return_direct "
        "tool_use_behavior stop_after_tools"
    ),
    "execution.require_artifacts": (
        "required_artifacts artifacts required_files deliverables outputs expected_files declared_artifacts"
    ),
    "execution.output": (
        "output_schema outputSchema output_type response_format responseFormat response_schema response_model "
        "structured_output output_pydantic output_json result_type json_schema output_parser"
    ),
    "execution.output.repairs": "schema_retries output_retries result_retries",
    "execution.post_turn": "post_turn_callback after_turn on_turn_end step_callback after_step on_step_end",
    "execution.terminal": "terminal_callback on_finish after_agent",
    "execution.stall": "stall_diagnostics stuck_detection loop_detection repeat_detection monologue_actuation",
    "execution.stall.stuck_limit": "stuckLimit max_repeats repeat_limit max_repeated_calls",
    # how tools are run
    "model.tool_format": (
        "tool_mode toolMode tool_calling tool_call_mode function_calling tool_protocol call_format tool_call_format"
    ),
    "execution.tool_arg_validation": (
        "toolArgValidation validate_args arg_validation argument_validation strict_tools schema_validation"
    ),
    "execution.tool_error_mode": (
        "toolErrorMode on_tool_error handle_tool_error handle_tool_errors tool_failure_mode on_error tool_error_policy"
    ),
    "execution.tool_result_max": (
        "toolResultMaxBytes max_result_chars maxResultChars max_tool_output tool_output_max "
        "tool_output_max_chars max_output_chars tool_result_max_bytes result_limit max_observation_chars "
        "tool_output_limit"
    ),
    "execution.max_concurrent_tools": (
        "toolParallelism tool_parallelism parallel_tool_calls parallel_tools max_parallel max_parallel_tools "
        "parallelism tool_concurrency maxParallel max_concurrency"
    ),
    "execution.tool_timeout": "tool_timeout_ms toolTimeout tool_execution_timeout call_timeout",
    "execution.tool_retries": "max_tool_retries toolRetries max_retry_limit",
    "execution.tool_backoff": "tool_backoff_ms tool_retry_delay",
    "execution.effect_phases": "tool_phases phases",
    "execution.profile": "agent_profile behavior behaviour agent_type archetype",
    "execution.nudge": "nudge_text continue_prompt continue_message",
    "execution.loop_control": "loop_rules budget_rules on_loop stop_conditions stopWhen stop_when stop_condition",
    # who answers
    "model.model": "model_name modelName model_id modelId llm_model engine deployment deployment_name azure_deployment",
    "model": (
        "llm llm_config llmConfig model_config model_settings modelSettings language_model chat_model client brain"
    ),
    "model.provider": "vendor model_provider api_type llm_provider backend platform",
    "model.base_url": (
        "baseUrl baseURL api_base apiBase endpoint host url api_url openai_api_base server_url api_endpoint"
    ),
    "model.api_key_env": "api_key apiKey api_key_var key_env secret api_key_name env_key",
    "model.headers": "extra_headers default_headers http_headers defaultHeaders",
    "model.options": (
        "extra_body extra_params model_kwargs llm_options provider_options providerOptions generation_config "
        "additional_params kwargs params parameters_extra model_parameters"
    ),
    "model.max_output_tokens": (
        "max_tokens maxTokens max_completion_tokens max_new_tokens maxOutputTokens num_predict max_length "
        "response_tokens"
    ),
    "model.temperature": "temp",
    "model.top_p": "topP nucleus",
    "model.stop": "stop_sequences stopSequences stops stop_tokens",
    "model.reasoning": (
        "reasoning_effort reasoningEffort effort thinking thinking_budget reasoning_policy think "
        "extended_thinking reasoning_config thinking_level"
    ),
    "model.reasoning.scale": "reasoning_scale",
    "model.reasoning.task": "reasoning_task",
    "model.timeout": "request_timeout timeout_ms requestTimeout llm_timeout timeout_seconds call_timeout_ms",
    "model.idle_timeout": "stream_timeout read_timeout idle_timeout_ms inactivity_timeout",
    "model.retry": (
        "retries max_retries maxRetries retry_policy retry_config retryPolicy num_retries llm_retries "
        "retry_attempts backoff retry_options"
    ),
    "model.retry.max_attempts": "attempts tries",
    "model.retry.base": "base_ms initial_delay initial_backoff base_delay min_delay backoff_ms",
    "model.retry.max": "max_ms max_delay max_backoff",
    "model.fallback": "fallbacks fallback_models fallback_chain fallbackModels fallback_model backup_models failover",
    "model.routes": "routing router route_policy routing_policy lanes models model_list",
    "model.ladder": "tier model_tier size model_size ladders",
    "model.context_window": (
        "contextWindow context_length n_ctx num_ctx max_context context_size max_input_tokens max_model_len"
    ),
    "model.prices": "pricing price cost_per_token rate_card costs token_prices",
    "model.stream": "streaming stream_mode enable_streaming",
    "model.cache": "response_cache llm_cache caching cache_responses",
    "model.prompt_cache": "cache_control prompt_caching promptCache cache_prompt",
    "model.rate_limit": "rate_limits rpm max_rpm throttle requests_per_second",
    "model.native_tool_fallback": "text_tool_fallback tool_fallback",
    "model.circuit_breaker": "breaker circuitBreaker",
    # what it may do
    "capability": "capabilities permissions_and_tools abilities",
    "capability.tools": (
        "functions tool_definitions toolDefinitions tools_config tool_registry actions plugins custom_tools tool_list"
    ),
    "capability.toolkits": (
        "toolsets toolset toolkit builtin_tools builtins built_in_tools host_tools hosted_tools tool_packs "
        "toolSets toolkits_config"
    ),
    "capability.mcp": "mcp_servers mcpServers mcpservers mcp_server servers mcp_config",
    "capability.ceiling": "policy policies capability_policy authority allowed side_effect_level scopes",
    "capability.ceiling.tools": (
        "allowed_tools tools_allowed allowedTools allow_tools tool_allowlist enabled_tools available_tools "
        "tool_whitelist"
    ),
    "capability.ceiling.roots": (
        "workspace_roots workspace_root allowed_paths write_path_allowlist workspace working_directory workdir"
    ),
    "capability.ceiling.hosts": "allowed_hosts allowed_domains domains network_allowlist",
    "capability.permissions.deny": (
        "disallowed_tools disallowedTools denied_tools deny_tools blocked_tools tool_denylist tool_blacklist "
        "excluded_tools"
    ),
    "capability.approval": (
        "approvals approval_policy approvalPolicy require_approval requires_approval needs_approval "
        "needsApproval human_in_the_loop hitl interrupt_on interrupt_before human_input human_input_mode "
        "approval_mode confirm tool_approval"
    ),
    "capability.approval.rules": "approval_rules auto_approve auto_deny",
    "capability.approval.external_roots": "allow_external_paths",
    "capability.approval.secrets": "sensitive_paths sensitive_path_patterns",
    "capability.permissions": "permission acl access access_control",
    "capability.middleware": "middlewares interceptors tool_middleware layers wrappers tool_caller",
    "capability.subagents": (
        "sub_agents subAgents sub_agent agents handoffs handoff delegates delegation children team "
        "managed_agents allow_delegation"
    ),
    "capability.skills": "skill_paths skill_dirs skills_dir agent_skills",
    "capability.tool_search": "tool_vault tool_discovery defer_loading",
    "capability.narrowing": "tool_surface_narrowing tool_narrowing tool_pruning",
    "capability.resources": "database databases db tables data_sources datasources",
    "capability.sandbox": "sandboxed container docker isolation code_execution_config execution_environment",
    "capability.identity": "identity_context principal actor user_context run_as",
    "capability.components": "components_schemas schemas definitions shared_schemas",
    # a tool
    "capability.tools.*.description": "desc doc docs docstring summary help instructions_for_model",
    "capability.tools.*.parameters": (
        "params args arguments args_schema argsSchema input_schema inputSchema input inputs signature schema "
        "parameters_schema"
    ),
    "capability.tools.*.returns": "return return_type returnType output output_schema outputSchema result result_type",
    "capability.tools.*.effect": "effects side_effects side_effect sideEffect annotations",
    "capability.tools.*.run": "command cmd argv shell exec script bash sh commandline command_line",
    "capability.tools.*.http": "request rest api webhook openapi",
    "capability.tools.*.python": "function func callable handler module entrypoint code implementation import_path",
    "capability.tools.*.expr": "expression cel eval formula compute",
    "capability.tools.*.agent": "sub_agent subagent delegate_to",
    "capability.tools.*.idempotent": "idempotency retryable safe_to_retry",
    "capability.tools.*.defer": "defer_loading deferred lazy deferLoading",
    "capability.tools.*.timeout": "timeout_ms max_time timeout_seconds",
    "capability.tools.*.external": "return client_side caller_executes",
    "capability.mcp.*.command": "cmd argv args exec stdio",
    "capability.mcp.*.url": "endpoint uri server_url base_url sse",
    "capability.mcp.*.allow": "allowed_tools tools include enabled_tools tool_filter allowlist",
    "capability.mcp.*.deny": "denied_tools exclude disabled_tools denylist blocked_tools",
    "capability.approval.rules[].decision": "action effect result outcome verdict",
    "capability.approval.rules[].paths": "path files",
    "capability.approval.rules[].hosts": "host domain domains url urls",
    "capability.approval.rules[].command": "commands argv cmd",
    "capability.approval.rules[].calls_over": "repeat_count_at_least repeat_limit max_calls",
    "execution.loop_control[].when": "if condition on match unless",
    "execution.verify_completion[].when": "if condition on match",
    "execution.post_turn[].when": "if condition on match",
    "execution.terminal[].when": "if condition on match",
    "execution.loop_control[].stop": "status end halt abort break",
    "execution.loop_control[].extend": "add grow by more",
    "execution.loop_control[].extend_to": "until to",
    "execution.loop_control[].reason": "because message why comment",
    "execution.verify_completion[].veto": "reject deny refuse feedback fail",
    "execution.verify_completion[].accept": "allow ok pass approve confirm",
    "execution.post_turn[].message": "feedback inject say text note",
    "execution.post_turn[].stop": "status end halt",
    "execution.post_turn[].claim_tool": "next_tool_claim force_tool next_tool",
    # what the model sees
    "context.system": (
        "instructions instruction system_prompt systemPrompt system_message systemMessage prompt "
        "developer_prompt backstory role persona goal preamble sys_prompt base_prompt custom_instructions "
        "developer_message identity_prompt prompt_template"
    ),
    "context.prompts": "prompt_overrides templates prompt_templates wordings",
    "context.history": (
        "messages prior_messages priorMessages message_history chat_history initial_messages conversation "
        "few_shot examples"
    ),
    "context.compaction": (
        "auto_compact summarization summarize context_management context_compression compact context_strategy "
        "trim truncation context_window_strategy respect_context_window memory_window condenser "
        "conversation_manager"
    ),
    "context.compaction.keep_last": "keep_last_n compact_keep_last keep_recent preserve_recent window_size",
    "context.compaction.keep_first": "keep_first_n compact_keep_first",
    "context.compaction.threshold": (
        "compact_threshold trigger max_tokens_before_summary max_tokens token_threshold context_budget contextBudget"
    ),
    "context.compaction.summarizer": "summary_model summarizer_model",
    "context.projection": "transcript_projection message_filter",
    "context.filter": "context_filter context_callback message_filter history_processors",
    "context.scratchpad": "notes notepad working_memory memory memory_config todo_list plan planning",
    "context.reminders": "reminder system_reminders recurring_messages",
    "context.instructions_files": "agents_md rules_files context_files rules memory_files",
    "context.working_files": "files file_context attachments",
    "context.timestamp_messages": "add_datetime_to_context timestamps add_timestamps markdown_time",
    # how it starts, waits, continues
    "lifecycle.session": (
        "session_id sessionId thread thread_id conversation_id conversationId memory_id checkpointer conversation"
    ),
    "lifecycle.session.carry": "transcript_mode carry_over carryover",
    "lifecycle.suspend": "pause interruptible await_resumption suspension",
    "lifecycle.daemon": "background keep_alive idle long_running always_on",
    "lifecycle.daemon.wake_interval": "wake_interval_ms poll_interval interval schedule cron",
    "lifecycle.workers": "worker background_agents spawn",
    "lifecycle.on_start": "before_run setup on_run_start before_agent startup",
    "lifecycle.on_end": "after_run teardown cleanup on_run_end on_complete",
    "lifecycle.grace": "grace_period shutdown_timeout stop_timeout kill_timeout",
    # what it leaves behind
    "observability": "tracing telemetry logging monitoring logs observe",
    "observability.otel": "opentelemetry otlp langfuse logfire",
    "observability.trace": "include_tool_trace includeToolTrace trace_mode include_trace verbose debug",
    "observability.events": "callbacks sinks event_sinks on_event onEvent event_log log_file hooks",
    "observability.redact": "redaction mask scrub redact_keys pii",
    "observability.transcript_dir": "transcript transcripts transcript_path conversation_log",
    # the document
    "name": "id agent agent_name agentName title key",
    "description": "desc summary about purpose",
    "extends": "extend inherit inherits parent base based_on presets include includes import imports from mixins",
    "inputs": "variables vars params parameters arguments args input_variables input_schema deps_schema",
    "task": "user_prompt query question goal_text user_message objective default_task",
    "use": "libraries libs dependencies uses requires",
    "version": "apiVersion api_version schema_version spec_version",
}


@cache
def foreign_keys() -> dict[str, tuple[str, ...]]:
    """The places of each foreign key, the likeliest first."""
    places: dict[str, tuple[str, ...]] = {}
    for place, foreign in _FOREIGN.items():
        for word in foreign.split():
            places[word] = (*places.get(word, ()), place)
    return places
