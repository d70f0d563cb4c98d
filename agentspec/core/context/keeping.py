"""keeping: what a summary has to keep and may drop, in the words of a spec: the summariser's instructions. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentspec.core.record import Record
from agentspec.spec.prompts import POLICIES, wording
from agentspec.spec.settings import Settings

PLACE = "context.compaction.policy"
SHOWN = ("model_visible", "summary", "transcript")  # scopes in which the worker is told of the instructions as well


class Keeping(Record, frozen=True):
    """`system` is what the summariser is told, `told` what the worker is told of it.

    `name` and `source` say for the record whose words they are.
    """

    system: str
    told: str = ""
    name: str = ""
    source: str = "default"


def keeping_of(settings: Settings) -> Keeping:
    """What the spec says of summaries: nothing, a named policy, or one spelled out."""
    default, given = wording(settings, "compaction.summary"), settings.get(PLACE)
    if isinstance(given, str):
        return Keeping(f"{default}\n\n{wording(settings, POLICIES + given)}", name=given, source="named")
    if not isinstance(given, Mapping):
        return Keeping(default)
    own = "\n\n".join(_own(given))
    extends = given.get("extend_default_instructions", True) or not given.get("instructions")
    return Keeping(
        system=f"{default}\n\n{own}".strip() if extends else own,
        told=own if given.get("scope") in SHOWN else "",
        name=str(given.get("mode") or given.get("author") or ""),
        source="extended" if extends else "replaced",
    )


def _own(given: Mapping[str, Any]) -> Iterator[str]:
    if given.get("instructions"):
        yield str(given["instructions"]).strip()
    for name, words in (("preserve", "These must stay:"), ("drop", "These may go:")):
        if given.get(name):
            yield "\n".join((words, *(f"- {one}" for one in given[name])))
