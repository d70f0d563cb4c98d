"""functions: how a policy asks a Python function of the author's (`python: package.module:function`) for a ruling.

A function is one more rule of its list: the state that expressions see goes in as plain values, and a command comes
out as a mapping, or None where the function has nothing to say. Whoever answers runs it; nothing is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import asdict

from agentspec.core.record import Record
from agentspec.expressions.places import PLACES

WHO = "python"

# What may stand behind a verb of a command, by the words that name it in a message.
KINDS: dict[str, tuple[type, ...]] = {"true": (bool,), "a whole number": (int,), "text": (str,), "a mapping": (dict,)}


class Command(NamedTuple):
    """What a function said: a command, nothing (no `values`), or a `problem` that kept it from being one."""

    values: dict[str, Any] | None = None
    problem: str = ""


def state_of(place: str, facts: Any, **more: Any) -> dict[str, Any]:
    """All names of a place with plain values: from `facts`, and from `more` what facts don't hold.

    >>> from agentspec.core.facts import Facts
    >>> state_of("loop_control.when", Facts(iteration=2))["iteration"]
    2
    """
    return {name: _plain(more[name] if name in more else getattr(facts, name)) for name in PLACES[place].names}


def _plain(value: Any) -> Any:
    match value:
        case Record():
            return {name: _plain(inside) for name, inside in asdict(value).items()}
        case tuple() | list():
            return [_plain(inside) for inside in value]
        case _:
            return value


def read_command(answer: Any, verbs: Mapping[str, tuple[str, ...]]) -> Command:
    """The command in the answer to `ask`. `verbs` are the words that it may hold, each with the kinds of its value.

    >>> read_command({"value": {"veto": "No."}}, {"veto": ("text",)})
    Command(values={'veto': 'No.'}, problem='')
    >>> read_command({"value": {"vote": "No."}}, {"veto": ("text",)}).problem
    'it gave `vote`, which is none of `veto`'
    """
    if not isinstance(answer, Mapping) or "error" in answer or "value" not in answer:
        said = answer.get("error") if isinstance(answer, Mapping) else None
        return Command(problem=str(said or "it gave no answer"))
    value = answer["value"]
    if value is None:
        return Command()
    if not isinstance(value, Mapping):
        return Command(problem="it gave neither a mapping nor None")
    values = {name: inside for name, inside in value.items() if inside is not None and inside is not False}
    for name, inside in values.items():
        problem = _misfit(name, inside, verbs)
        if problem is not None:
            return Command(problem=problem)
    return Command(values)


def _misfit(name: str, value: Any, verbs: Mapping[str, tuple[str, ...]]) -> str | None:
    if name not in verbs:
        return f"it gave `{name[:80]}`, which is none of {', '.join(f'`{verb}`' for verb in verbs)}"
    kinds = verbs[name]
    if any(isinstance(value, KINDS[kind]) and isinstance(value, bool) == (kind == "true") for kind in kinds):
        return None
    return f"its `{name}` is not {' or '.join(kinds)}"
