"""steps: the format `json`: one object a turn, which calls a tool or answers, found in whatever surrounds it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agentspec.core.formats.objects import find_objects

DEEPEST = 4  # wrappers around a step that are looked into
NO_STEP = "it holds no step object"
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "additionalProperties": False}
FIELDS = ("reason", "action", "tool", "args", "answer")


class Step(NamedTuple):
    """What a turn does: `tool` with `args`, or else `answer`."""

    reason: str
    tool: str | None
    args: dict[str, Any]
    answer: str


class StepRead(NamedTuple):
    """The step of a reply, or in words why there is none."""

    step: Step | None
    why: str = ""


def read_step(text: str) -> StepRead:
    """The last whole step of a reply; what comes before it was a draft.

    >>> read_step('Let me see.```json\\n{"reason": "r", "action": "answer", "tool": "", "args": {}, "answer": "4"}```')
    StepRead(step=Step(reason='r', tool=None, args={}, answer='4'), why='')
    >>> read_step('{"reason": "r", "action": "tool", "tool": "look", "args": {"at": "sk').why
    'the object is cut off'
    """
    found = find_objects(text)
    last: Step | None = None
    for each in found.objects:
        for step in _steps_in(each.value, DEEPEST):
            last = step
    if found.cut is not None:
        return StepRead(None, "the object is cut off")
    if last is not None:
        return StepRead(last)
    return StepRead(None, _why_none(text, [each.value for each in found.objects]))


def step_schema(tools: tuple[str, ...], *, must_call: bool = False) -> dict[str, Any]:
    """The JSON Schema of a step, for providers that can hold a model to one."""
    actions = [*(["tool"] if tools else []), *([] if tools and must_call else ["answer"])]
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "action": {"type": "string", "enum": actions},
            "tool": {"type": "string", "enum": [*tools, *([] if tools and must_call else [""])]},
            "args": {"type": "object"},
            "answer": {"type": "string"},
        },
        "required": list(FIELDS),
        "additionalProperties": False,
    }


def exact_step_schema(tools: Mapping[str, dict[str, Any]], *, must_call: bool = False) -> dict[str, Any]:
    """The JSON Schema of a step with the arguments of each tool; `tools` are their parameters by name.

    >>> steps = exact_step_schema({"look": {"type": "object", "properties": {"at": {"type": "string"}}}})["anyOf"]
    >>> [step["properties"]["tool"]["const"] for step in steps]
    ['look', '']
    """
    calls = [_exact("tool", name, parameters, {"const": ""}) for name, parameters in tools.items()]
    answers = [] if calls and must_call else [_exact("answer", "", NO_ARGUMENTS, {"type": "string"})]
    return {"anyOf": [*calls, *answers]}


def _exact(action: str, tool: str, args: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    values = ({"type": "string"}, {"const": action}, {"const": tool}, args, answer)
    return {
        "type": "object",
        "properties": dict(zip(FIELDS, values, strict=True)),
        "required": list(FIELDS),
        "additionalProperties": False,
    }


def write_step(name: str, arguments: str) -> str:
    """A call as a step, for one that was made in another format."""
    return json.dumps({"reason": "", "action": "tool", "tool": name, "args": _args(arguments), "answer": ""})


def _args(arguments: str) -> Any:
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return {}


def _steps_in(value: Any, depth: int) -> Iterator[Step]:
    if isinstance(value, dict):
        step = _as_step(value)
        if step is not None:
            yield step
            return
        inner: Any = value.values()
    else:
        inner = value if isinstance(value, list) else ()
    if depth:
        for each in inner:
            yield from _steps_in(each, depth - 1)


def _as_step(value: dict[str, Any]) -> Step | None:
    if any(field not in value for field in FIELDS) or not isinstance(value["reason"], str | None):
        return None
    reason, tool, args, answer = value["reason"] or "", value["tool"], value["args"], value["answer"]
    match value["action"]:
        case "tool" if isinstance(tool, str) and tool.strip() and isinstance(args, dict | None):
            return Step(reason, tool.strip(), args or {}, "")
        case "answer" if isinstance(answer, str):
            return Step(reason, None, {}, answer)
        case _:
            return None


def _why_none(text: str, objects: list[dict[str, Any]]) -> str:
    if not text.strip():
        return ""
    for value in objects:
        missing = [field for field in FIELDS if field not in value]
        if 0 < len(missing) < len(FIELDS):
            return f"the object lacks {', '.join(f'`{field}`' for field in missing)}"
        if not missing:
            return "the object has the five fields, but not with values that can be used"
    return NO_STEP
