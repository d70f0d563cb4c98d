"""toolkits: the tools that each toolkit offers, with what they do to the world. Model-facing names are fixed."""

from __future__ import annotations

from agentspec.syntax.tree import Mapping, Scalar

Effect = str
EFFECTS: tuple[Effect, ...] = ("none", "read", "write", "process", "network")  # the weakest first

_GIT = dict.fromkeys(("git_status", "git_diff", "git_log", "git_show", "git_blame", "git_branch"), "read")

TEXT = (
    *("count_chars", "count_words", "count_lines", "regex_match", "regex_replace", "replace_text", "split_text"),
    *("join_text", "slice_text", "reverse_text", "change_case", "sort_lines", "sha256", "base64_encode"),
    *("base64_decode", "url_encode", "url_decode", "diff_text"),
)
MATH = ("calc", "statistics", "convert_units", "convert_base")
JSON = ("json_query", "json_get", "json_set", "json_remove", "json_merge", "json_format", "json_validate")
TIME = ("now", "date_add", "date_diff", "date_info", "convert_zone", "format_time", "parse_time")

TOOLKITS: dict[str, dict[str, Effect]] = {
    "files.read": dict.fromkeys(
        ("read_file", "read_file_tail", "list_directory", "search_files", "find_files", "file_outline"), "read"
    ),
    "files.edit": dict.fromkeys(("write_file", "edit_file", "patch_file", "create_directory", "delete_path"), "write"),
    "command": {
        "run_command": "process",
        "read_command_output": "read",
        "read_command_output_tail": "read",
        "cancel_command": "process",
    },
    "git": _GIT,
    "git.compact": {"find_git_tool": "none", "run_git_tool": "read"},
    "web.fetch": {"fetch": "network"},
    "ask_user": {"ask_user": "none"},
    "text": dict.fromkeys(TEXT, "none"),
    "math": dict.fromkeys(MATH, "none"),
    "json": dict.fromkeys(JSON, "none"),
    "time": dict.fromkeys(TIME, "none"),
    "todo": dict.fromkeys(("todo_write", "todo_read"), "none"),
    "scratch": dict.fromkeys(("scratch_write", "scratch_read", "scratch_delete"), "none"),
}

GIT_MUTATIONS = dict.fromkeys(("git_add", "git_commit", "git_switch"), "write")

KIND_EFFECTS: dict[str, Effect] = {"expr": "none", "run": "process", "python": "write", "mcp": "write"}
"""What a tool of a kind does where it claims nothing; of `http` its method says it, of `agent` the agent."""

READING = ("GET", "HEAD")


def kind_effect(tool: Mapping) -> Effect | None:
    """What a tool does where it claims nothing, by its kind; None where that can't be told from the tool alone."""
    request = tool.get("http")
    if isinstance(request, Mapping):
        method = request.get("method")
        word = method.value if isinstance(method, Scalar) else "GET"
        return "read" if str(word).upper() in READING else "network"
    for kind, effect in KIND_EFFECTS.items():
        if tool.get(kind) is not None:
            return effect
    return None


def toolkit_tools(name: str, *, has_mutations: bool = False) -> dict[str, Effect]:
    """The tools of a toolkit with their effects; empty for one that is not known or whose tools are open."""
    tools = TOOLKITS.get(name, {})
    if not has_mutations:
        return tools
    return {**tools, **{"git": GIT_MUTATIONS, "git.compact": {"run_git_tool": "write"}}.get(name, {})}
