"""foreign_words: for each key, values that people bring from other systems, and the word for them here. A table."""

from __future__ import annotations

from typing import Final

WORDS: Final[dict[str, dict[str, str]]] = {
    "approve": {"auto": "allow", "never": "deny", "always": "allow"},
    "cache": {"true": "read_write", "false": "off", "on": "read_write", "none": "off", "readonly": "read_only"},
    "carry": {"continue": "inherit", "new": "reset", "clear": "reset", "copy": "fork", "summary": "compact"},
    "compaction": {
        **dict.fromkeys(("false", "off", "disabled"), "none"),
        **dict.fromkeys(("true", "auto"), "hybrid"),
        **dict.fromkeys(("summarize", "summarise", "summary", "llm"), "summarize_middle"),
        **dict.fromkeys(("trim", "sliding_window", "window", "drop_oldest"), "truncate"),
    },
    "decision": {
        **dict.fromkeys(("approve", "auto_approve", "accept", "yes", "permit", "true"), "allow"),
        **dict.fromkeys(("require_approval", "approval", "prompt", "confirm", "manual"), "ask"),
        **dict.fromkeys(("block", "reject", "refuse", "auto_deny", "no", "forbid", "false"), "deny"),
    },
    "default": {
        **dict.fromkeys(("approve", "accept", "permit", "auto"), "allow"),
        **dict.fromkeys(("require_approval", "prompt", "confirm"), "ask"),
        **dict.fromkeys(("block", "reject", "refuse", "forbid"), "deny"),
    },
    "effect": {
        **dict.fromkeys(("read_only", "readonly", "observe", "observation"), "read"),
        **dict.fromkeys(("mutation", "edit", "workspace_write", "delete", "mutate"), "write"),
        **dict.fromkeys(("exec", "execute", "shell", "process_exec", "command"), "process"),
        **dict.fromkeys(("net", "http", "internet", "fetch", "external"), "network"),
        **dict.fromkeys(("pure", "no", "null", "false"), "none"),
    },
    "hide": {"edit": "write", "exec": "process", "execute": "process"},
    "instructions_files": {"true": "auto", "false": "off", "none": "off"},
    "kind": {"write": "edit", "exec": "execute", "run": "execute", "web": "fetch", "http": "fetch", "grep": "search"},
    "mode": {"dynamic": "adaptive", "static": "fixed"},
    "narrowing": {"true": "cache_safe", "false": "off", "none": "off"},
    "native_tool_fallback": {"true": "allow", "false": "reject", "deny": "reject", "once": "allow_once"},
    "on_error": {"fail_open": "accept", "fail_closed": "veto", "allow": "accept", "deny": "veto", "ignore": "accept"},
    "on_escalation": {"prompt": "ask", "no": "deny", "false": "deny", "once": "ask", "session": "ask"},
    "output": {
        **dict.fromkeys(("json_object", "json_schema", "structured", "object"), "json"),
        **dict.fromkeys(("string", "str", "plain", "markdown", "none"), "text"),
    },
    "prefill": {"true": "on", "false": "off"},
    "profile": {"agent": "tool_using", "research": "researcher", "verify": "verifier", "complete": "completer"},
    "prompt_cache": {"true": "auto", "on": "auto", "false": "off", "none": "off"},
    "reasoning": {
        **dict.fromkeys(("none", "false", "disabled", "no"), "off"),
        **dict.fromkeys(("true", "on", "enabled", "default"), "auto"),
        **dict.fromkeys(("xhigh", "maximum", "ultra", "very_high"), "max"),
        **dict.fromkeys(("moderate", "mid", "normal"), "medium"),
        **dict.fromkeys(("min", "minimum"), "minimal"),
    },
    "sandbox": {
        **dict.fromkeys(("true", "on", "best", "default"), "auto"),
        **dict.fromkeys(("false", "off", "disabled"), "none"),
        **dict.fromkeys(("required", "always", "strict", "docker"), "workspace"),
    },
    "strategy": {
        **dict.fromkeys(("summarize", "summarise", "summary", "llm"), "summarize_middle"),
        **dict.fromkeys(("trim", "sliding_window", "window"), "truncate"),
        **dict.fromkeys(("semantic", "vector"), "embedding"),
    },
    "tool_arg_validation": {"true": "strict", "false": "none", "off": "none", "coerce": "lenient", "lax": "lenient"},
    "tool_choice": {"any": "required", "must": "required", "never": "none", "true": "required", "false": "none"},
    "tool_error_mode": {"raise": "abort", "fail": "abort", "stop": "abort", "continue": "recover", "ignore": "recover"},
    "tool_format": {
        **dict.fromkeys(("function_calling", "functions", "tools", "openai"), "native"),
        **dict.fromkeys(("json_schema", "step", "structured"), "json"),
        **dict.fromkeys(("xml", "prose", "tags", "react"), "text"),
    },
    "tool_search": {"true": "bm25", "false": "off", "none": "off", "semantic": "hybrid", "auto": "bm25"},
    "trace": {"true": "always", "false": "never", "on_error": "on_failure", "off": "never", "none": "never"},
}
