"""plan: a checked spec, resolved and ready to run; immutable, and without anything that can act."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from agentspec.compose.provider_tools import ProviderTool
from agentspec.core.events import Event
from agentspec.core.facts import Facts
from agentspec.core.limits.price import Price
from agentspec.core.offer.search import Search
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, name_of, publisher, sort_key
from agentspec.core.proposals import Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import Ruling
from agentspec.core.state import State
from agentspec.core.tools import ToolPlan

Each = TypeVar("Each")


class Hearer(NamedTuple):
    """A policy that hears something, by its number: how it observes, what puts its groups into the facts where it has
    any, and what it announces of a change where it does.
    """

    number: int
    observe: Callable[[Any, Event | Notice, Facts], Any]
    publish: Callable[[Any, Facts], Facts] | None
    notes: Callable[[Any, Any], tuple[Note, ...]] | None


class Reviewer(NamedTuple):
    """A policy that reviews something, by its number."""

    number: int
    review: Callable[[Any, Proposal, Facts], Ruling]


class Concerned(dict[type, tuple[Each, ...]]):
    """The policies that a kind of thing concerns, found once: `concerned[kind]`."""

    def __init__(self, find: Callable[[type], tuple[Each, ...]]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, kind: type) -> tuple[Each, ...]:
        found = self[kind] = self._find(kind)
        return found


class TimeBound(Record, frozen=True):
    """A bound on time: `limit` names it, `spare` seconds of it are kept for last words."""

    limit: str
    seconds: float
    spare: float = 0.0
    is_working_time: bool = False  # the time in which the run waited for people or lay still does not count


SPARE = 20.0  # seconds of a bound on time that are kept for last words, and the share that they never pass
SPARE_SHARE = 0.15


def spare_of(seconds: float) -> float:
    """The seconds of a bound on time that are kept for last words.

    >>> spare_of(600.0), spare_of(20.0)
    (20.0, 3.0)
    """
    return min(SPARE, SPARE_SHARE * seconds)


class Plan:
    """What one run of one spec needs to know. Made by `link`, read by the kernel and the shell."""

    def __init__(  # noqa: PLR0913 - a record with an index, built in one place
        self,
        *,
        name: str,
        spec_hash: str,
        tools: Mapping[str, ToolPlan],
        policies: tuple[Policy[Any], ...],
        loop_until_done: bool,
        max_concurrent_tools: int = 8,
        time_bounds: tuple[TimeBound, ...] = (),
        prices: Mapping[str, Price] | None = None,
        sentinel: str | None = None,
        required_tools: tuple[tuple[str, ...], ...] = (),
        answer_schema: dict[str, Any] | None = None,
        labels: tuple[str, ...] = (),
        search: Search | None = None,
        provider_tools: tuple[ProviderTool, ...] = (),
    ) -> None:
        self.name = name
        self.spec_hash = spec_hash
        self.tools = tools
        self.policies = tuple(sorted(policies, key=sort_key))
        self.names = tuple(name_of(policy) for policy in self.policies)
        self.loop_until_done = loop_until_done
        self.max_concurrent_tools = max_concurrent_tools
        self.time_bounds = time_bounds
        self.prices = prices or {}  # by asker, `worker` among them; none where nobody knows a price
        self.sentinel = sentinel  # the word with which the model says that it is done
        self.required_tools = required_tools  # of each group one must have succeeded
        self.labels = labels  # of the routes by their numbers, where there are several
        self.answer_schema = answer_schema  # that a provider can hold every reply to
        self.provider_tools = provider_tools  # that the provider may run itself
        self.search = search  # that the provider makes itself; None where the runtime does, or nothing is hidden
        # Dispatch by type: a policy costs nothing where it isn't concerned.
        self.publishers = tuple(map(publisher, self.policies))
        self.hearing = Concerned(self._hearers)  # of a kind of event or notice, in order
        self.reviewing = Concerned(self._reviewers)  # of a kind of proposal, in order
        self.initial: State | None = None  # of its runs before their first events, once one has begun

    def _hearers(self, kind: type) -> tuple[Hearer, ...]:
        return tuple(
            Hearer(number, policy.observe, publish, policy.notes if policy.announces else None)
            for number, (policy, publish) in enumerate(zip(self.policies, self.publishers, strict=True))
            if issubclass(kind, policy.hears) and kind not in policy.idle
        )

    def _reviewers(self, kind: type) -> tuple[Reviewer, ...]:
        return tuple(
            Reviewer(number, policy.review)
            for number, policy in enumerate(self.policies)
            if kind in policy.reviews and kind not in policy.idle
        )
