"""linker: the plans of the runs of one loaded spec. Those made of the same share one. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agentspec.core.plan import Plan
from agentspec.core.tools import ToolPlan
from agentspec.link import link
from agentspec.spec.settings import Settings

KEPT = 4  # plans: a program runs a spec with few different options


class Linker:
    """Links what it has not linked before. Plans never change, so that any number of runs may go on with one.

    >>> linker = Linker()
    >>> made_of = {"name": "adder", "spec_hash": "0", "policies": ["limits"]}
    >>> linker.plan(Settings({}), [], **made_of) is linker.plan(Settings({}), [], **made_of)
    True
    """

    def __init__(self) -> None:
        self._made: tuple[tuple[Any, Plan], ...] = ()  # replaced whole: runs of other threads may ask as well

    def plan(
        self, settings: Settings, tools: Iterable[ToolPlan], *, name: str, spec_hash: str, policies: Sequence[str]
    ) -> Plan:
        """The plan of a run; see `link`."""
        made_of = (dict(settings.values), settings.project, [*tools], name, spec_hash, [*policies])
        for known, plan in self._made:
            if known == made_of:
                return plan
        plan = link(settings, made_of[2], name=name, spec_hash=spec_hash, policies=policies)
        self._made = ((made_of, plan), *self._made[: KEPT - 1])
        return plan
