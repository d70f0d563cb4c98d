"""in_effect: the keys of a spec that something acts on. Every other key is accepted and noted as not yet in effect.

A dotted prefix stands for all that lies below it; `*` stands for one name or one item of a list.
"""

from __future__ import annotations

from functools import cache


class Known(dict[str, "Known"]):
    """Words of prefixes, each with the words that may follow; an empty one stands for everything below it."""


IN_EFFECT: tuple[str, ...] = (
    # the document
    "name",
    "preset",
    "library",
    "scenario",
    "description",
    "version",
    "task",
    "extends",
    "inputs",
    # who answers
    "model.provider",
    "model.model",
    "model.base_url",
    "model.api_key_env",
    "model.headers",
    "model.options",
    "model.temperature",
    "model.top_p",
    "model.seed",
    "model.stop",
    "model.max_output_tokens",
    "model.tool_choice",
    "model.prices",
    "model.prompt_cache",
    "model.reasoning",
    "model.timeout",
    "model.idle_timeout",
    "model.retry",
    "model.stream",
    "model.tool_format",
    "model.native_tool_fallback",
    "model.ladder",
    "model.fallback",
    "model.routes.*.provider",
    "model.routes.*.model",
    "model.routes.*.ladder",
    "model.routes.*.base_url",
    "model.routes.*.api_key_env",
    "model.routes.*.headers",
    "model.routes.*.options",
    "model.routes.*.temperature",
    "model.routes.*.top_p",
    "model.routes.*.seed",
    "model.routes.*.stop",
    "model.routes.*.max_output_tokens",
    "model.routes.*.prices",
    "model.routes.*.label",
    "model.routes.*.when",
    "model.routes.*.python",
    "model.routes.*.reasoning",
    "model.routes.*.tool_format",
    "model.routes.*.timeout",
    "model.routes.*.idle_timeout",
    "model.routes.*.prompt_cache",
    # how long it works, and when it is done
    "execution.profile",
    "execution.loop_until_done",
    "execution.max_iterations",
    "execution.iteration_budget",
    "execution.loop_control",
    "execution.limits.wall_clock",
    "execution.limits.working_time",
    "execution.limits.cost_usd",
    "execution.limits.on_missing_usage",
    "execution.limits.on_unknown_price",
    "execution.limits.show",
    "execution.limits.scope",
    "execution.wrap_up",
    "execution.limits.tokens",
    "execution.limits.tool_calls",
    "execution.limits.provider_calls",
    "execution.limits.consecutive_failures",
    "execution.output",
    "execution.max_nudges",
    "execution.nudge",
    "execution.done_sentinel",
    "execution.turn_policy",
    "execution.recover",
    "execution.require_successful_tools",
    "execution.stop_after_successful_tools",
    "execution.require_artifacts",
    "execution.stall.threshold",
    "execution.stall.stuck_limit",
    "execution.stall.max_notes",
    "execution.stall.rescue",
    "execution.stall.inject_feedback",
    "execution.stall.repeat_same_error",
    "execution.stall.ping_pong_cycles",
    "execution.stall.repeat_context_window_error",
    "execution.stall.repeat_parse_rejection",
    "execution.stall.hard_stop_after_trips",
    "execution.stall.exempt_tools",
    "execution.stall.include_arguments",
    "execution.stall.fingerprint",
    "execution.stall.repair_diagnostics.repair_aware",
    "execution.stall.repair_diagnostics.stuck_same_diagnostic_after",
    "execution.stall.repair_diagnostics.post_edit_reverify",
    "execution.stall.repair_diagnostics.no_net_progress_extend_guard",
    "execution.stall.repair_diagnostics.no_net_progress_extend_after",
    "execution.stall.repair_diagnostics.no_net_progress_hard_cap_after",
    "execution.step_judge.provider",
    "execution.step_judge.model",
    "execution.step_judge.rubric",
    "execution.step_judge.system",
    "execution.step_judge.temperature",
    "execution.step_judge.max_output_tokens",
    "execution.step_judge.options",
    "execution.step_judge.prices",
    "execution.step_judge.operation_timeout",
    "execution.step_judge.on_veto",
    "execution.step_judge.max_attempts",
    "execution.step_judge.skip_when_empty",
    "execution.step_judge.skip_when_stalled",
    "execution.step_judge.skip_when_iterations_remaining",
    "execution.input_guardrail.when",
    "execution.input_guardrail.python",
    "execution.input_guardrail.judge",
    "execution.input_guardrail.reason",
    "execution.input_guardrail.label",
    "execution.input_guardrail.confidence_threshold",
    "execution.input_guardrail.on_error",
    "execution.post_turn",
    "execution.terminal",
    "execution.verify_completion",
    "execution.verify_completion_judge.provider",
    "execution.verify_completion_judge.model",
    "execution.verify_completion_judge.rubric",
    "execution.verify_completion_judge.system",
    "execution.verify_completion_judge.temperature",
    "execution.verify_completion_judge.max_output_tokens",
    "execution.verify_completion_judge.options",
    "execution.verify_completion_judge.prices",
    "execution.verify_completion_judge.operation_timeout",
    "execution.verify_completion_judge.deadline_reserve",
    "execution.verify_completion_judge.max_invocations",
    "execution.verify_completion_judge.on_error",
    "execution.verify_completion_judge.feedback_fallback",
    "execution.verify_completion_judge.escalate",
    "execution.turn_end_condition.provider",
    "execution.turn_end_condition.model",
    "execution.turn_end_condition.rubric",
    "execution.turn_end_condition.system",
    "execution.turn_end_condition.temperature",
    "execution.turn_end_condition.max_output_tokens",
    "execution.turn_end_condition.options",
    "execution.turn_end_condition.prices",
    "execution.turn_end_condition.operation_timeout",
    "execution.turn_end_condition.deadline_reserve",
    "execution.turn_end_condition.max_invocations",
    "execution.turn_end_condition.on_error",
    "execution.turn_end_condition.feedback_fallback",
    "execution.turn_end_condition.escalate",
    "execution.turn_end_condition.cadence",
    "execution.tool_arg_validation",
    "execution.max_concurrent_tools",
    "execution.effect_phases",
    "execution.tool_retries",
    "execution.tool_backoff",
    "execution.fail_fast_same_resource",
    "execution.tool_error_mode",
    "execution.tool_timeout",
    "execution.tool_result_max",
    # what it may do
    "capability.tools.*.description",
    "capability.tools.*.parameters",
    "capability.tools.*.returns",
    "capability.tools.*.effect",
    "capability.tools.*.idempotent",
    "capability.tools.*.network",
    "capability.tools.*.timeout",
    "capability.tools.*.defer",
    "capability.tools.*.namespace",
    "capability.tools.*.examples",
    "capability.tools.*.expr",
    "capability.tools.*.run",
    "capability.tools.*.http",
    "capability.tools.*.python",
    "capability.tools.*.external",
    "capability.tools.*.agent",
    "capability.tools.*.concurrent",
    "capability.tools.*.kind",
    "capability.toolkits.*.command.enabled",
    "capability.toolkits.*.command.disabled",
    "capability.toolkits.*.command.names",
    "capability.toolkits.*.command.descriptions",
    "capability.toolkits.*.command.root",
    "capability.toolkits.*.command.allow",
    "capability.toolkits.*.command.allow_else",
    "capability.toolkits.*.command.shell",
    "capability.toolkits.*.command.env",
    "capability.toolkits.*.command.max_inline",
    "capability.toolkits.*.command.background_after",
    "capability.toolkits.*.command.progress_interval",
    "capability.toolkits.*.command.progress_max_inline",
    "capability.toolkits.*.command.preserve_filtered_output",
    "capability.tools.*.mcp",
    "capability.toolkits.*.command.namespace",
    "capability.toolkits.*.command.defer",
    "capability.toolkits.*.files.edit",
    "capability.toolkits.*.git.enabled",
    "capability.toolkits.*.git.disabled",
    "capability.toolkits.*.git.names",
    "capability.toolkits.*.git.descriptions",
    "capability.toolkits.*.git.repo",
    "capability.toolkits.*.git.mutations",
    "capability.toolkits.*.git.namespace",
    "capability.toolkits.*.git.defer",
    "capability.toolkits.*.git.compact",
    "capability.toolkits.*.files.read",
    "capability.toolkits.*.text",
    "capability.toolkits.*.math",
    "capability.toolkits.*.json",
    "capability.toolkits.*.time",
    "capability.skills.*.folder",
    "capability.skills.*.prompt",
    "capability.skills.*.description",
    "capability.skills.*.when_to_use",
    "capability.skills.*.when",
    "capability.skills.*.paths",
    "capability.skills.*.allowed_tools",
    "capability.skills.*.mcp",
    "capability.skills.*.on_activate",
    "capability.skills.*.on_deactivate",
    "capability.skills.*.disable_model_invocation",
    "capability.skills.*.user_invocable",
    "capability.skill_match",
    "capability.tool_search.strategy",
    "capability.tool_search.mode",
    "capability.tool_search.always_loaded",
    "capability.tool_search.budget_tokens",
    "capability.tool_search.name",
    "capability.tool_search.include_stub_listing",
    "capability.tool_search.rank",
    "capability.tool_search.python",
    "capability.narrowing",
    "capability.ceiling",
    "capability.approval",
    "capability.sandbox",
    "capability.mcp.*.command",
    "capability.mcp.*.env",
    "capability.mcp.*.cwd",
    "capability.mcp.*.url",
    "capability.mcp.*.headers",
    "capability.mcp.*.allow",
    "capability.mcp.*.deny",
    "capability.mcp.*.effects",
    "capability.mcp.*.timeout",
    "capability.toolkits.*.web.fetch",
    "capability.toolkits.*.todo",
    "capability.components",
    "capability.toolkits.*.scratch",
    "capability.toolkits.*.ask_user",
    "capability.permissions",
    "capability.identity",
    "capability.resources.*.url",
    "capability.resources.*.table",
    "capability.resources.*.key",
    "capability.resources.*.description",
    "capability.resources.*.verbs",
    "capability.resources.*.columns",
    "capability.resources.*.where",
    "capability.resources.*.defaults",
    "capability.resources.*.page",
    "capability.resources.*.audit",
    "capability.resources.*.actions",
    "capability.mcp.*.auth",
    "capability.mcp.*.pin",
    "capability.identity",
    "capability.middleware.*.consent",
    "capability.middleware.*.audit_log",
    "capability.middleware.*.dry_run",
    "capability.middleware.*.idempotency",
    "capability.middleware.*.rate_limit",
    "capability.middleware.*.cache",
    "capability.read_only_stance",
    "capability.progress_tool",
    "capability.provider_tools",
    "capability.middleware.*.redact",
    "capability.middleware.*.telemetry",
    "capability.middleware.*.handoff",
    # how it ends
    "lifecycle.grace",
    # what the model sees
    "context.system",
    "context.prompts",
    # what it leaves behind
    "observability.events",
    "observability.trace",
    "observability.redact",
    "observability.transcript_dir",
    "observability.decisions",
)


# The providers that answer. The others are words of the language, and a run with them is refused.
BUILT_IN_PROVIDERS = ("openai", "openai_responses", "anthropic", "google", "ollama", "process", "local", "script")
AVAILABLE_PROVIDERS = ("openai", "anthropic", "google", "ollama", "openai_responses", "process", "script")


def is_in_effect(path: tuple[str | int, ...]) -> bool:
    """Whether something acts on the value at a path, or on a part of it (then the parts are asked one by one).

    >>> is_in_effect(("execution", "max_iterations")), is_in_effect(("execution", "stall"))
    (True, False)
    """
    known: Known | None = everything()
    for step in path:
        known = None if known is None else below(known, step)
    return known is not None


def everything() -> Known:
    """What is in effect of a whole document."""
    return _tree()


def below(known: Known, step: str | int) -> Known | None:
    """What is in effect of one part of something, or None where nothing acts on that part."""
    if "*" in known:
        return known["*"] if step not in known else known[str(step)]
    # A toolkit's own name has a dot (`files.read`): one step of a path may hold several words of a prefix.
    for word in step.split(".") if isinstance(step, str) else ("*",):
        if not known:
            return known
        found = known.get(word, known.get("*"))
        if found is None:
            return None
        known = found
    return known


@cache
def _tree() -> Known:
    """The prefixes by their words; an empty mapping is the end of one."""
    tree = Known()
    for prefix in IN_EFFECT:
        known = tree
        for word in prefix.split("."):
            known = known.setdefault(word, Known())
    return tree
