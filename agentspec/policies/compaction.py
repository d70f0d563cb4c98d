"""compaction: keep requests inside the window, by showing the older part of a long conversation as one message.

What is recorded is never changed. Every pass is counted, so that no turn goes in circles: one of the strategy, then one
that keeps only the newest turn, then an end that names what fills the window.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.context.compacting import Compacted, Planned, Strategy, strategy_of
from agentspec.core.context.fills import fills
from agentspec.core.context.room import told_window
from agentspec.core.context.summary import TIMEOUT, material_of, question, read_summary, state_for
from agentspec.core.context.view import Cut
from agentspec.core.events import Answered, Consulted, Event, ModelFailed, ModelReplied, RunStarted
from agentspec.core.facts import Facts
from agentspec.core.limits.price import Price, price_of_question, prices_of
from agentspec.core.limits.reserve import LEAST_OUTPUT, within
from agentspec.core.messages import Failure, Reply
from agentspec.core.models.patience import Patience, patience_with
from agentspec.core.models.replies import estimate_tokens
from agentspec.core.orders import Consultation, Note, Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import End, Proposal, Think
from agentspec.core.rules.functions import WHO, read_command
from agentspec.core.rulings import PASS, SILENT, Hold, Refuse, Rewrite, Ruling, Stop, Tell
from agentspec.core.tools import ToolPlan, bytes_of_tool, tokens_of_tool
from agentspec.core.transcript import weight_of
from agentspec.spec.routes import DEFAULT, routes_of
from agentspec.spec.settings import Settings

NAME = "compaction"
SUMMARIZER = "context.compaction.summarizer"
OVERFLOW = "context_overflow"
LONGEST_TOKEN = 8  # bytes; where tokens have more of them in the mean, not everything that was sent was read
CALLS = 2  # a summary is worth a call only where one is left for the request that it makes room for
NOBODY = "nothing is left to ask a summariser with"


class Compaction(Policy[Compacted], frozen=True):
    """When a request would fill too much of the window, and what is then shown of the conversation."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 99  # whatever else shapes the request has done so
    claims: ClassVar = ("context.compaction", "model.context_window")
    hears: ClassVar = (RunStarted, ModelReplied, ModelFailed, Consulted, Answered, Ruled)
    reviews: ClassVar = (Think, End)
    publishes: ClassVar = "cut"
    announces: ClassVar = True

    strategy: Strategy
    tools: float  # tokens of those that a request shows from the start, and their bytes
    tool_bytes: int
    minds: tuple[int | None, ...]  # by route: from how many tokens on a request is looked at
    longest: int | None = None  # tokens of a summary, as the author allows it
    window: int | None = None  # of the summariser
    prices: dict[str, Price] = {}
    patience: Patience = Patience()

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:
        shown = [tool for tool in tools.values() if not tool.is_late]
        own = any(settings.get(f"{SUMMARIZER}.{name}") for name in ("provider", "model"))
        strategy = strategy_of(settings)
        return cls(
            strategy=strategy,
            minds=tuple(room.minds for room in strategy.rooms),
            tools=math.fsum(map(tokens_of_tool, shown)),
            tool_bytes=sum(map(bytes_of_tool, shown)),
            longest=settings.whole(f"{SUMMARIZER}.max_output_tokens"),
            window=None if own else routes_of(settings.get("model"))[DEFAULT].model.get("context_window"),
            prices=prices_of(settings),
            patience=patience_with(settings, NAME),
        )

    def start(self) -> Compacted:
        return Compacted()

    # --- what is heard

    def observe(self, memory: Compacted, event: Event | Notice, facts: Facts) -> Compacted:
        match event:
            case ModelReplied():
                return self._counted(memory, event, facts)
            case RunStarted(counted=int(tokens)):
                estimate = math.fsum(map(weight_of, event.opening))
                return replace(memory, counted=memory.counted.after("opening", estimate, tokens))
            case ModelFailed() if event.failure.category == OVERFLOW:
                return self._overflowed(memory, event, facts)
            case Ruled(policy="compaction", proposal=Think(), ruling=ruling):
                return self._begun(memory, event.proposal, ruling, facts)
            case Consulted(asker="compaction"):
                return self._summarised(memory, event, facts)
            case Answered(asker="compaction", who="clock"):
                return replace(memory, tries=memory.tries.waited())
            case Answered(asker="compaction") if memory.planned is not None:
                return self._of_function(memory, event.answer)
            case _:
                return memory

    def _counted(self, memory: Compacted, event: ModelReplied, facts: Facts) -> Compacted:
        """The provider has counted a request: what is estimated is held against it."""
        memory = replace(memory, overflows=0, failure=None) if memory.overflows else memory
        usage, size = event.reply.usage, facts.request_bytes
        if usage.estimated or not usage.input_tokens:
            return memory
        route = f"{event.reply.provider}:{event.reply.model}"
        is_odd = size > LONGEST_TOKEN * usage.input_tokens or not memory.counted.knows(route)
        if not is_odd and not self._may_matter(memory, event.route, size, facts):
            return memory
        counted = memory.counted.after(route, self._estimate(facts), usage.input_tokens)
        if counted.dropped != memory.counted.dropped:
            memory = (
                self._lowered(memory, event.route, counted.dropped, "usage")
                if counted.dropped
                else self._restored(memory, event.route, memory.counted.dropped)
            )
        return replace(memory, counted=counted)

    def _overflowed(self, memory: Compacted, event: ModelFailed, facts: Facts) -> Compacted:
        memory = replace(memory, overflows=memory.overflows + 1, failure=event.failure)
        expected = memory.counted.expected(self._estimate(facts))
        window = told_window(event.failure.message, expected)
        known = self.strategy.room(memory, event.route).window
        if window is None or (known is not None and window >= known):
            return memory
        return self._lowered(memory, event.route, window, "refusal")

    def _lowered(self, memory: Compacted, route: int, window: int, by: str) -> Compacted:
        told = {"route": route, "window": window, "by": by}
        return replace(memory, windows={**memory.windows, route: window}, lowered=told)

    def _restored(self, memory: Compacted, route: int, dropped: int) -> Compacted:
        """A window that was learned from counts which turned out to be worth nothing is forgotten."""
        if memory.windows.get(route) != dropped:
            return memory
        windows = {number: window for number, window in memory.windows.items() if number != route}
        known = replace(memory, windows=windows)
        told = {"route": route, "window": self.strategy.room(known, route).window, "by": "usage"}
        return replace(known, lowered=told)

    def _begun(self, memory: Compacted, proposal: Proposal, ruling: Ruling, facts: Facts) -> Compacted:
        """A pass is made, or asked for: what it takes stands fast from now on."""
        assert isinstance(proposal, Think)
        planned = memory.planned or self.strategy.planned(memory, proposal, self._tools(facts))
        if planned is None or not isinstance(ruling, Tell | Hold):
            return memory
        made = memory.passes if memory.turn == proposal.turn else ()
        memory = replace(memory, planned=planned, turn=proposal.turn, passes=(*made, planned.way))
        if isinstance(ruling, Hold):
            return memory
        return self.strategy.compacted(memory, fell_back=NOBODY if planned.way == "summary" else "")

    def _summarised(self, memory: Compacted, event: Consulted, facts: Facts) -> Compacted:
        planned = memory.planned
        if planned is None:
            return memory
        if event.failure is not None:
            tries = memory.tries.again(event, self.patience, TIMEOUT, facts.run_id)
            if tries is not None:
                return replace(memory, tries=tries)
            told = memory.tries.ending(event.failure)
            return self.strategy.compacted(memory, fell_back=f"the summariser failed: {told.message}")
        notes, why = read_summary(event.reply or Reply(), planned.fold.tokens)
        return self.strategy.compacted(memory, notes, fell_back=f"the summary is not used: {why}" if why else "")

    def _of_function(self, memory: Compacted, answer: Any) -> Compacted:
        command = read_command(answer, {"summary": ("text",)})
        notes = str((command.values or {}).get("summary", "")).strip()
        why = command.problem or ("" if notes else "it gave no summary")
        return self.strategy.compacted(memory, notes, fell_back=f"`{self.strategy.function}`: {why}" if why else "")

    # --- what is ruled

    def review(self, memory: Compacted, proposal: Proposal, facts: Facts) -> Ruling:
        match proposal:
            case Think():
                return self._before_request(memory, proposal, facts)
            case End(outcome=Outcome(failure=Failure(category="context_overflow"), detail="")):
                return Refuse("the request is looked at again: it did not fit")
            case _:
                return PASS

    def _before_request(self, memory: Compacted, think: Think, facts: Facts) -> Ruling:
        if memory.tries.wait is not None:
            return Hold("clock", memory.tries.wait)
        if not memory.overflows and not self._may_matter(memory, think.route, think.size, facts):
            return PASS
        tools = self._tools(facts)
        planned = memory.planned or self.strategy.planned(memory, think, tools)
        if planned is None:
            return self._overfull(memory, think, tools)
        if planned.way == "python":
            material = material_of(think, planned.fold, facts.task, memory.notes)
            return Hold(WHO, {"function": self.strategy.function, "state": state_for(material)})
        question = self._question(memory, planned, think, facts) if planned.way == "summary" else None
        return SILENT if question is None else Hold("summary", question)

    def _question(self, memory: Compacted, planned: Planned, think: Think, facts: Facts) -> Consultation | None:
        """What the summariser is asked, or None where nothing is left to ask with; last words wait for nobody."""
        timeout, left = memory.tries.left(TIMEOUT, facts.now), facts.left
        if left.deadline is not None:
            timeout = min(timeout, left.deadline - facts.now)
        if timeout <= 0 or think.is_last or (left.provider_calls is not None and left.provider_calls < CALLS):
            return None
        if left.tokens is not None:  # the request that room is made for comes first
            after = memory.counted.expected(planned.estimate - planned.fold.tokens)
            left = replace(left, tokens=left.tokens - after - LEAST_OUTPUT)
        material = material_of(think, planned.fold, facts.task, memory.notes)
        route = memory.tries.route
        window = self.window if route is None else self.strategy.room(memory, route).window
        asked = question(self.strategy.keeping.system, material, window, self.longest)
        price = price_of_question(self.prices, NAME, route)
        return within(replace(asked, timeout=timeout, route=route), left, price)

    def _overfull(self, memory: Compacted, think: Think, tools: float) -> Ruling:
        """The end of a run whose request can't be made to fit; for one that fits, an answer that does so beside it."""
        room = self.strategy.room(memory, think.route)
        if not self.strategy.is_overfull(memory, think, tools):
            expected = memory.counted.expected(think.tokens + tools)
            answer = room.answer_beside(expected, think.max_output_tokens)
            return PASS if answer is None else Rewrite(replace(think, max_output_tokens=answer))
        told = fills(think, tools, memory.counted, room)
        failure = memory.failure
        if failure is not None:
            failure = replace(failure, message=f"{failure.message}; {told}")
        return Stop(Outcome("error", OVERFLOW, failure=failure, detail=f"nothing is left to leave out: {told}"))

    def _may_matter(self, memory: Compacted, route: int, size: int, facts: Facts) -> bool:
        """Whether a request of so many bytes can have tokens enough for anything to be due: each has a byte."""
        least = self.minds[route] if route not in memory.windows else self.strategy.room(memory, route).minds
        return least is not None and size + self.tool_bytes + facts.late_tool_bytes > least

    def _estimate(self, facts: Facts) -> float:
        """About how many tokens the newest request has."""
        beside = facts.request_bytes - facts.shown.size
        return facts.shown.tokens + estimate_tokens(beside) + self._tools(facts)

    def _tools(self, facts: Facts) -> float:
        """About how many tokens the tools of a request have."""
        return max(0.0, self.tools + estimate_tokens(facts.late_tool_bytes) - estimate_tokens(facts.hidden_tool_bytes))

    # --- what is told

    def publish(self, memory: Compacted) -> Cut | None:
        return memory.cut

    def notes(self, before: Compacted, after: Compacted) -> tuple[Note, ...]:
        notes = []
        if after.lowered != before.lowered:
            is_less = len(after.windows) >= len(before.windows)
            notes.append(Note(event="window_lowered" if is_less else "window_restored", fields=after.lowered))
        if after.count != before.count:
            notes.append(Note(event="compacted", fields=after.made))
        return tuple(notes)
