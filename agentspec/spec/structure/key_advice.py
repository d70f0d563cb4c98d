"""key_advice: keys whose way out is another than a new name, and which key a lone value is meant for. Tables."""

from __future__ import annotations

from typing import Final

# Foreign keys of one record, wherever it stands: types are written in many places.
OF_RECORD: Final[dict[str, dict[str, str]]] = {
    "Model": {"name": "model"},
    "TypeForm": {
        **dict.fromkeys(("properties", "props", "members", "shape"), "fields"),
        **dict.fromkeys(("values", "choices", "options", "allowed", "literal", "oneOf", "one_of"), "enum"),
        **dict.fromkeys(("anyOf", "union", "types"), "any_of"),
        **dict.fromkeys(("item", "of", "element", "elements"), "items"),
        **dict.fromkeys(("desc", "doc", "title", "help", "about"), "description"),
        **dict.fromkeys(("min", "ge", "gte"), "minimum"),
        **dict.fromkeys(("max", "le", "lte"), "maximum"),
        **dict.fromkeys(("regex", "match"), "pattern"),
        **dict.fromkeys(("min_length", "minlength"), "minLength"),
        **dict.fromkeys(("max_length", "maxlength"), "maxLength"),
        **dict.fromkeys(("can_be_missing", "not_required"), "optional"),
    },
}

# Keys whose way out is another than a new name.
ADVICE: Final[dict[tuple[str, str], str]] = {
    ("Agent", "agent"): "the keys of an agent stand at the top, with nothing around them; its name goes under `name`",
    ("TypeForm", "required"): "a value is needed unless it says `optional: true` or has a `default`",
    ("TypeForm", "nullable"): "write `T?` for a type whose value may be left out",
    ("Tool", "schema"): "a JSON Schema of all parameters goes under `parameters: {schema: …}`",
    ("Tool", "name"): "a tool is named by its key: `tools: {NAME: {…}}`",
    ("Tool", "type"): "what a tool does follows from its key: `expr`, `run`, `http`, `python`, `agent` or `mcp`",
    ("Execution", "timeout"): "a call of a tool is bounded by `tool_timeout`, the whole run by `limits.wall_clock`",
    ("Model", "api_key"): "a spec never holds a key: name its environment variable under `api_key_env`",
    ("Model", "token"): "a spec never holds a key: name its environment variable under `api_key_env`",
    ("Route", "api_key"): "a spec never holds a key: name its environment variable under `api_key_env`",
    ("McpServer", "type"): "a server with `command` is started, one with `url` is called",
    ("McpServer", "transport"): "a server with `command` is started, one with `url` is called",
    ("McpServer", "args"): "`command` holds the program and its arguments: `[npx, -y, some-server]`",
}

# The key that a lone value is meant for where a mapping is wanted.
MAIN_KEYS: Final[dict[str, str]] = {
    "CircuitBreaker": "threshold",
    "Context": "system",
    "Expect": "status",
    "Http": "url",
    "InputGuardrail": "when",
    "IterationBudget": "max",
    "Judge": "rubric",
    "McpServer": "url",
    "Model": "model",
    "Retry": "max_attempts",
    "Session": "id",
    "Shadow": "model",
    "StepJudge": "rubric",
    "Subagent": "agent",
    "TurnEnd": "rubric",
    "Use": "source",
    "Cadence": "every",
}
