"""functions: the places of a spec where a Python function may stand: rules and tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

RULES = {  # lists of rules, by their sections
    "execution": ("loop_control", "post_turn", "terminal", "verify_completion"),
    "context": ("projection", "filter"),
    "model": ("routes",),
}
KEY = "python"


def functions_of(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every function of a document's values, with its dotted path.

    >>> list(functions_of({"execution": {"terminal": [{"python": "acme.rules:last"}]}}))
    [('execution.terminal[0].python', 'acme.rules:last')]
    """
    execution = values.get("execution") or {}
    for section, name in ((section, name) for section, names in RULES.items() for name in names):
        rules = (values.get(section) or {}).get(name)
        for index, rule in enumerate(rules if isinstance(rules, list | tuple) else ()):
            if KEY in rule:
                yield f"{section}.{name}[{index}].{KEY}", rule[KEY]
    for name, tool in ((values.get("capability") or {}).get("tools") or {}).items():
        if KEY in tool:
            yield f"capability.tools.{name}.{KEY}", tool[KEY]
    rules = ((values.get("capability") or {}).get("approval") or {}).get("rules") or ()
    for index, rule in enumerate(rules):
        if KEY in rule:
            yield f"capability.approval.rules[{index}].{KEY}", rule[KEY]
    search = (values.get("capability") or {}).get("tool_search")
    if isinstance(search, Mapping) and KEY in search:
        yield f"capability.tool_search.{KEY}", search[KEY]
    guardrail = execution.get("input_guardrail") or {}
    if KEY in guardrail:
        yield f"execution.input_guardrail.{KEY}", guardrail[KEY]
    compaction = (values.get("context") or {}).get("compaction")
    if isinstance(compaction, Mapping) and compaction.get(KEY) is not None:
        yield f"context.compaction.{KEY}", compaction[KEY]
