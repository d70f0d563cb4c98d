"""policy: the one shape of every concern that observes events and reviews proposals.

A policy's fields are its settings, never state: what it remembers is a value that the kernel keeps for it. `observe`
alone changes memory; `review` only reads. Policies never import each other: what one must know of another stands in
`Facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import cache
from typing import Any, ClassVar, Generic, Self, TypeVar

from msgspec.structs import replace

from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.orders import Note
from agentspec.core.proposals import Act, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

Memory = TypeVar("Memory")


class Stage(IntEnum):
    """The fixed order in which policies are asked."""

    LIMIT = 1  # may it go on
    SHAPE = 2  # what does the model see
    VALID = 3  # is this well formed
    AUTHORITY = 4  # the ceiling
    CONSENT = 5  # approval
    QUALITY = 6  # is "done" true
    CLOSE = 7  # last words


class Notice(Record, frozen=True):
    """Something that the kernel itself did; policies may hear it beside events. Never journaled: it is derived."""


class Admitted(Notice, frozen=True):
    """Every call of the reply has been looked at; these are left to be run, in their order."""

    calls: tuple[Act, ...]


class TurnStarted(Notice, frozen=True):
    turn: int


class TurnAnswered(Notice, frozen=True):
    """The reply asks for no tool: the turn proposes to be the last, and nobody has been asked yet."""

    turn: int


class TurnSettled(Notice, frozen=True):
    """All that the turn asked for is settled, and it is about to be closed; heard again after a veto of its end."""

    turn: int


class TurnEnded(Notice, frozen=True):
    """All calls of the turn have their results, or it had none and did not end the run."""

    turn: int


class Ruled(Notice, frozen=True):
    """A policy answered something other than `Pass` or `Rewrite`."""

    policy: str
    proposal: Proposal
    ruling: Ruling


class Policy(Record, Generic[Memory], frozen=True, gc=True):
    """One concern of a run.

    `claims` are the keys of a spec that this policy acts on; `configure` makes the policy from a spec, or gives None
    where the spec does not ask for it.
    """

    stage: ClassVar[Stage]
    number: ClassVar[int] = 50  # the order within the stage
    claims: ClassVar[tuple[str, ...]] = ()
    hears: ClassVar[tuple[type[Event | Notice], ...]] = ()
    reviews: ClassVar[tuple[type[Proposal], ...]] = ()
    publishes: ClassVar[str | tuple[str, ...] | None] = None  # the facts groups of which this policy is the one writer
    announces: ClassVar[bool] = False  # whether changes of memory are told to the event stream (`notes`)

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        """The policy that the spec asks for, or None where it asks for none."""
        raise NotImplementedError

    @classmethod
    def configure_all(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> tuple[Self, ...]:
        """The policies that the spec asks for: most of a kind are one, a layer that stands in a list may be several."""
        made = cls.configure(settings, tools)
        return () if made is None else (made,)

    @property
    def nth(self) -> int:
        """Where it stands among those of the same number, if its author says."""
        return 0

    @property
    def idle(self) -> tuple[type[Event | Notice | Proposal], ...]:
        """Kinds of what it hears or reviews that leave it as it is, and that it lets pass, with these settings: it is
        not asked about them.
        """
        return ()

    def start(self) -> Memory:
        raise NotImplementedError

    def observe(self, memory: Memory, event: Event | Notice, facts: Facts) -> Memory:  # noqa: ARG002 - part of the shape
        return memory

    def review(self, memory: Memory, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - part of the shape
        return PASS

    def publish(self, memory: Memory) -> Any:
        """The group of facts that this policy writes, where `publishes` names one; of several a tuple."""
        raise NotImplementedError

    def notes(self, before: Memory, after: Memory) -> tuple[Note, ...]:  # noqa: ARG002 - part of the shape
        """What the event stream hears of a change of memory, where `announces` is set."""
        return ()


def publisher(policy: Policy[Any]) -> Callable[[Any, Facts], Facts] | None:
    """What puts the groups of a policy into the facts, those that have changed; None where it writes none."""
    names, publish = policy.publishes, policy.publish
    if names is None:
        return None
    if isinstance(names, str):

        def published_one(memory: Any, facts: Facts) -> Facts:
            group = publish(memory)
            return facts if getattr(facts, names) == group else replace(facts, **{names: group})

        return published_one

    def published(memory: Any, facts: Facts) -> Facts:
        groups = zip(names, publish(memory), strict=True)
        changed = {name: group for name, group in groups if getattr(facts, name) != group}
        return replace(facts, **changed) if changed else facts

    return published


def name_of(policy: Policy[Any]) -> str:
    return name_of_kind(type(policy))


@cache
def name_of_kind(policy: type[Policy[Any]]) -> str:
    return policy.__module__.rpartition(".")[2]


def sort_key(policy: Policy[Any]) -> tuple[int, int, int, str]:
    return (policy.stage, policy.number, policy.nth, name_of(policy))
