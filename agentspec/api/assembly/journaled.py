"""journaled: a blueprint as a journal keeps it, without secrets, and as it is read from there again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentspec.api.assembly.blueprint import Blueprint
from agentspec.errors import NotAllowed
from agentspec.runtime.masking.mask import Mask
from agentspec.spec.parts import Readers, read_parts
from agentspec.text.blanks import HIDDEN, changed

# Those that decide in a run whose journal does not name them: it was written before later ones were there.
FIRST_POLICIES = [
    "arguments",
    "iteration_budget",
    "limits",
    "lost_calls",
    "nudge",
    "retry",
    "tool_errors",
    "truncation",
    "unknown_tools",
]

CEILING = "ceiling"

# What a blueprint says of itself; no pattern of an author's is meant for it.
OWN = ("format", "written_by", "name", "spec_hash", "project", "policies", "source")


def blueprint_from(stored: dict[str, Any]) -> Blueprint:
    """The blueprint that a journal begins with; its format has been looked at before."""
    kept = {name: stored[name] for name in ("name", "spec_hash", "values", "inputs", "project")}
    policies, allow_python = stored.get("policies", FIRST_POLICIES), stored.get("allow_python") is True
    blueprint = Blueprint(
        **kept,
        policies=policies,
        places=stored.get("places"),
        allow_python=allow_python,
        catalogue=stored.get("catalogue"),
        tables=stored.get("tables"),
        agents=stored.get("agents"),
        source=stored.get("source"),
        sets=stored.get("sets"),
    )
    blueprint.ceiling = stored.get(CEILING)  # of an agent that is called by a run which goes on: no journal has it
    return blueprint


def with_blanked_words(values: dict[str, Any], mask: Mask) -> dict[str, Any]:
    """The values of a spec as a run may say them: what is to be blanked is not told to a model, either."""
    return values if mask.is_idle else read_parts(values, Readers(mask.wording, str, str))


def masked(blueprint: Blueprint, mask: Mask) -> dict[str, Any]:
    """A blueprint as a journal keeps it: without secrets. Patterns of what is to be blanked don't blank themselves.

    What is said and given is blanked by all patterns, what names a thing or is a word of the language by none. The rest
    is a program: a pattern that finds the names of its keys as well would leave nothing that can be read again, so it
    takes out nothing there.
    """
    kept = blueprint.as_json()
    if mask.is_idle:
        return kept
    narrow = mask.wording_beside(set(_names(kept)))
    hidden: dict[str, Any] = changed(kept, narrow, frozenset(), mask.name)
    hidden["inputs"] = mask.value(kept["inputs"])
    for one, other in ((kept, hidden), *((kept["agents"][name], hidden["agents"][name]) for name in kept["agents"])):
        other.update({name: changed(one[name], mask.name, frozenset(), mask.name) for name in OWN if name in one})
        other["values"] = read_parts(one["values"], Readers(mask.wording, mask.name, narrow))
        blanked = (one["values"].get("observability") or {}).get("redact")
        if blanked:
            other["values"]["observability"]["redact"] = blanked
    return hidden


def _names(value: Any) -> Iterator[str]:
    """The names of all keys in a plain value."""
    match value:
        case dict():
            for name, item in value.items():
                yield name
                yield from _names(item)
        case list():
            for item in value:
                yield from _names(item)
        case _:
            pass


def require_whole(blueprint: Blueprint) -> None:
    """Raise `NotAllowed` where a run stands on what its journal does not keep: a secret in the clear, or what is
    blanked. What is only said was blanked before it was said, and says the same again."""
    hidden = lost_part(blueprint)
    if hidden is not None:
        raise NotAllowed(
            f"`{hidden}` held a secret in the clear, or what `observability.redact` blanks, which is kept nowhere, "
            "so the run can't go on: write `${env.NAME}` in the spec and run it again"
        )


def lost_part(blueprint: Blueprint) -> str | None:
    """The place of something that decides in a run and that its journal does not keep; None where it keeps all."""
    agents = {name: {**kept, "values": _unsaid(kept["values"])} for name, kept in blueprint.agents.items()}
    return next(_hidden({"inputs": blueprint.inputs, "agents": agents, **_unsaid(blueprint.values)}, ""), None)


def _unsaid(values: dict[str, Any]) -> dict[str, Any]:
    return read_parts(values, Readers(lambda _: "", str, str))


def _hidden(value: Any, path: str) -> Iterator[str]:
    match value:
        case str() if HIDDEN in value:
            yield path
        case dict():
            for name, item in value.items():
                yield from _hidden(item, f"{path}.{name}" if path else name)
        case list():
            for item in value:
                yield from _hidden(item, path)
        case _:
            pass
