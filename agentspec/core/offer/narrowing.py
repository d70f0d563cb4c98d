"""narrowing: of what class a tool is, and which tools may leave the view of a model that does not use them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentspec.core.calls.matching import is_named, listed
from agentspec.core.offer.native import is_native
from agentspec.core.offer.search import needed_tools
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

PLACE = "capability.narrowing"
WINDOW = 5
READ_ONLY = "read_only"
RUNTIME = frozenset(("runtime", "skill"))  # kinds of tools that the runtime itself offers
POLLING = ("read_command_output", "read_output")  # what these begin with brings what another call has left
PROGRESS = "report_progress"
CLASSES: dict[str, str] = {
    "none": READ_ONLY,
    "read": READ_ONLY,
    "write": "mutating",
    "process": "mutating",
    "network": "mutating",
    "terminal": "session_control",
}
# Providers that can be told which of the shown tools may be called, without a change of what stands before, and how
# the names of their models begin.
RESTRICTING: dict[str, tuple[str, ...]] = {"openai": ("gpt-5", "gpt-6"), "openai_responses": ("gpt-5", "gpt-6")}


class Narrowed(NamedTuple):
    """How far the view narrows: `leaving` are the tools that may go when they were not used for `window` turns."""

    mode: str
    window: int
    leaving: tuple[str, ...]


def narrowing_of(settings: Settings, tools: Mapping[str, ToolPlan]) -> Narrowed | None:
    """What a spec says about narrowing; None where no tool could ever leave.

    A tool that was searched for stays, as does every tool that a rule of the spec waits for by name.
    """
    written = settings.get(PLACE) or "off"
    given: Mapping[str, Any] = written if isinstance(written, Mapping) else {"mode": written}
    mode = given.get("mode") or "cache_safe"
    if mode == "off" or sum(not tool.is_late for tool in tools.values()) < 2:  # a model's only tool stays
        return None
    kept = {*(given.get("hard_keep") or ()), *needed_tools(settings)}
    leaving = tuple(
        tool.name
        for tool in tools.values()
        if tool.name not in kept and not tool.is_deferred and _may_leave(class_of(tool, settings), mode, given)
    )
    return Narrowed(mode, given.get("window_turns") or WINDOW, leaving) if leaving else None


def _may_leave(kind: str, mode: str, given: Mapping[str, Any]) -> bool:
    if mode == "aggressive":
        return kind != "session_control"
    if kind == "unknown" and given.get("unknown_tool_policy") == "prune":
        return True
    return kind in (given.get("prune_classes") or (READ_ONLY,)) and kind not in (given.get("keep_classes") or ())


def class_of(tool: ToolPlan, settings: Settings) -> str:
    """The class of a tool, as `prune_classes` and `keep_classes` name it."""
    if tool.name == PROGRESS:
        return "progress"
    if tool.kind in RUNTIME:
        return "session_control"
    if tool.name.startswith(POLLING):
        return "result_polling"
    rules = settings.get("capability.approval.rules") or ()
    if any(rule.get("decision") == "ask" and is_named(tool.name, listed(rule.get("tool"))) for rule in rules):
        return "approval"
    return CLASSES.get(tool.effect, "unknown")


def can_restrict(settings: Settings) -> bool:
    """Whether the provider of a run can be told which tools may be called while all of them stay in the request."""
    if is_native(settings):  # a tool that is not loaded can't be among those that may be called
        return False
    names = RESTRICTING.get(settings.text("model.provider") or "", ())
    return settings.get("model.base_url") is None and (settings.text("model.model") or "").startswith(names or ("\0",))


def gone(narrowed: Narrowed, used: Mapping[str, int], since: int, turn: int) -> frozenset[str]:
    """The tools that have left after this turn; `used` is the last turn of each, `since` when the count began.

    >>> sorted(gone(Narrowed("safe", 2, ("a", "b")), {"a": 3}, 0, 4))
    ['b']
    """
    return frozenset(name for name in narrowed.leaving if turn - max(used.get(name, 0), since) >= narrowed.window)
