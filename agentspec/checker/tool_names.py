"""tool_names: what rules know by name: the kinds of tools, and the tools of the runtime."""

from __future__ import annotations

# What the runtime itself offers where a feature asks for it; no spec declares them.
RUNTIME_TOOLS = frozenset(
    (
        "await_resumption",
        "read_output",
        "search_tools",
        "report_progress",
        "activate_skill",
        "subagent_spawn",
        "subagent_send",
        "subagent_wait",
        "subagent_pause",
        "subagent_resume",
        "subagent_stop",
        "subagent_list",
    )
)

KINDS = ("expr", "run", "http", "python", "agent", "mcp", "external")
