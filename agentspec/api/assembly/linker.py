"""linker: what the runs of one loaded spec share, made once where it would be made of the same. Decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from agentspec.api.assembly.secrets import mask_for
from agentspec.core.plan import Plan
from agentspec.core.tools import ToolPlan
from agentspec.link import link
from agentspec.ports import Tool
from agentspec.runtime.masking.mask import Mask
from agentspec.spec.settings import Settings

KEPT = 4  # a program runs a spec with few different options

Made = TypeVar("Made")
OwnTool: TypeAlias = tuple[ToolPlan, Tool]  # how the kernel knows a tool, and what does it


class Kept(Generic[Made]):
    """The last few things that were made, by what they were made of."""

    def __init__(self) -> None:
        self._made: tuple[tuple[Any, Made], ...] = ()  # replaced whole: runs of other threads may ask as well

    def get(self, made_of: Any, make: Callable[[], Made]) -> Made:
        """What was made of the same, else what `make` gives."""
        for known, made in self._made:
            if known == made_of:
                return made
        made = make()
        self._made = ((made_of, made), *self._made[: KEPT - 1])
        return made


class Linker:
    """Makes what it has not made before. Plans, masks and tools that only compute never change, so that any number of
    runs may go on with one.

    >>> linker = Linker()
    >>> made_of = {"name": "adder", "spec_hash": "0", "policies": ["limits"]}
    >>> linker.plan(Settings({}), [], **made_of) is linker.plan(Settings({}), [], **made_of)
    True
    """

    def __init__(self) -> None:
        self._plans = Kept[Plan]()
        self._masks = Kept[Mask]()
        self._computing: dict[str, Kept[OwnTool]] = {}  # by name

    def plan(
        self, settings: Settings, tools: Iterable[ToolPlan], *, name: str, spec_hash: str, policies: Sequence[str]
    ) -> Plan:
        """The plan of a run; see `link`."""
        made_of = (dict(settings.values), settings.project, [*tools], name, spec_hash, [*policies])
        return self._plans.get(
            made_of, lambda: link(settings, made_of[2], name=name, spec_hash=spec_hash, policies=policies)
        )

    def mask(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        inputs: Mapping[str, Any],
        called: Sequence[Settings] = (),
    ) -> Mask:
        """The mask of a run; see `mask_for`."""
        known = dict(environment)
        made_of = (dict(settings.values), known, dict(inputs), [dict(each.values) for each in called])
        return self._masks.get(made_of, lambda: mask_for(settings, known, inputs, called))

    def computing(self, name: str, made_of: Any, make: Callable[[], OwnTool]) -> OwnTool:
        """A tool of the spec's own that only computes."""
        return self._computing.setdefault(name, Kept()).get(made_of, make)
