"""drive: the only loop that waits. Journal the events, fold them, journal the orders, perform them, wait again.

Events are on disk before they are acted on, and intents before their effects. No decision stands here.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeGuard

from msgspec.structs import replace

from agentspec.core.events import AbortRequested, AnyEvent, DeadlineReached, Resumed
from agentspec.core.orders import AnyOrder, Ask, CallModel, CallTool, Cancel, Consult, Finish, Note, Pending
from agentspec.core.plan import Plan, TimeBound
from agentspec.core.state import State
from agentspec.core.step import initial, step
from agentspec.core.stepping.wants import waits_for_people
from agentspec.core.transcript import Transcript
from agentspec.runtime.inbox import Inbox
from agentspec.runtime.journal import LASTING, AnyRecord, encode, line_of, needs_barrier
from agentspec.runtime.perform import Performer
from agentspec.runtime.ports import Ports
from agentspec.runtime.stream import Stream
from agentspec.runtime.tally import Tally

DUE = 1e-4  # seconds: a bound that is so near is reached


class Driver:
    """Drives one run from an event to its end. `abort` may be called from a signal handler of the same loop."""

    def __init__(self, plan: Plan, ports: Ports, performer: Performer, stream: Stream, tally: Tally) -> None:
        self.plan = plan
        self.ports = ports
        self.performer = performer
        self.stream = stream
        self.tally = tally
        self.inbox: Inbox[AnyEvent | BaseException] = Inbox()
        self.state = initial(plan)
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.cancelled: list[asyncio.Task[None]] = []
        self.stopping: list[asyncio.Task[None]] = []
        self.aborts = 0  # how often somebody asked to stop
        self.owes_flush = False  # what was appended last must be on the disk before anything acts on it
        self.deadlines: dict[tuple[TimeBound, float], asyncio.TimerHandle] = {}  # those that are not reached
        self.skipping: asyncio.Future[None] | None = None  # who waits until a bound has been dealt with
        self.untold: list[tuple[AnyRecord, float]] = []
        self.unstarted: list[AnyOrder] = []  # given, and not yet carried out

    def abort(self, by: str) -> None:
        """Ask the run to stop now: tools in flight are stopped, and the journal is closed whole.

        Asked again while they are given time to end, they are ended at once.
        """
        self.aborts += 1
        for task in self.stopping:
            task.cancel()
        self.inbox.put(AbortRequested(at=self.ports.clock.now(), by=by))

    def hear(self, event: AnyEvent) -> None:
        """Take in something that happened outside while the run goes on; said from a task of the same loop."""
        self.inbox.put(event)

    async def drive(self, state: State, events: list[AnyEvent], again: Sequence[Pending] = ()) -> State:
        """Go on from `state` with `events` until the run is over, and return its last state.

        `again` are orders that an earlier process was given and never answered.

        Raises `JournalError` where the store fails: nothing that is not on disk has been acted on. When the waiting
        task is cancelled, the run ends `interrupted` first: every call has its result, and the journal is whole.
        """
        self.state = state
        self._start_deadlines(events[0].at)
        try:
            self.unstarted = [*again]
            while True:
                self._fold(events)
                await self.ports.journal.flush(durable=self.owes_flush)
                self._tell()
                for order in self.unstarted:
                    self._carry_out(order)
                self.unstarted = []
                self._come_round()
                if self.state.is_over:
                    return self.state
                events = await self._next_events()
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            if not self.state.is_over:
                finished = _events(self.inbox.take())
                self._fold([*finished, AbortRequested(at=self.ports.clock.now(), by="signal")], at_once=True)
            self._tell()
            raise
        finally:
            for deadline in self.deadlines.values():
                deadline.cancel()
            await self._stop_all()

    def _fold(self, events: list[AnyEvent], *, at_once: bool = False) -> None:
        """Fold the events; they and their orders are stored together before any order is performed.

        But for calls that only compute: their answers are folded, and stored, with what asked for them.
        What needs the disk's word for it is left to the next flush, or synced here where nobody can wait (`at_once`).
        """
        state = self.state
        seen: list[tuple[AnyRecord, float]] = []
        orders: list[AnyOrder] = []
        barrier = False
        try:
            coming = deque(events)
            while coming:
                event = coming.popleft()
                if _is_late(state, event):
                    continue
                if _ends(event):
                    event = replace(event, not_started=_numbers([*self.unstarted, *orders]))
                seen.append((event, event.at))
                barrier = barrier or needs_barrier(event, state.pending)
                state, made = step(self.plan, state, event)
                orders += made
                answers: list[AnyEvent] = []
                for order in made:
                    seen.append((order, event.at))
                    if type(order) is CallTool and (answer := self.performer.tools.computed(order)) is not None:
                        answers.append(answer)
                coming.extendleft(reversed(answers))
        finally:
            if seen:
                barrier = barrier or any(needs_barrier(one, state.pending) for one in orders if type(one) in LASTING)
                lines = [encode(record, at) for record, at in seen]
                self.ports.journal.append(lines, barrier=barrier and at_once, line=line_of(seen))
                self.owes_flush = barrier and not at_once
        self.state = state
        self.untold += seen
        self.unstarted += orders

    def _tell(self) -> None:
        """Count and show what is stored now."""
        for record, at in self.untold:
            self.tally.take(record)
            self.stream.publish(record, at)
        self.untold.clear()

    async def _next_events(self) -> list[AnyEvent]:
        """At least one event, and those that have come meanwhile: they share one commit.

        What has finished comes before what ends the run, so that no result is lost.
        """
        found = await self.inbox.wait()
        for item in found:
            if isinstance(item, BaseException):
                raise item
        events = _events(found)
        return events if len(events) == 1 else sorted(events, key=_ends)

    def _carry_out(self, order: AnyOrder) -> None:
        match order:
            case Note() | Finish():
                pass
            case Cancel():
                task = self.tasks.pop(order.order, None)
                if task is not None:
                    task.cancel()
                    self.cancelled.append(task)
            case _ if order.id in self.state.pending:  # else it was computed, or called back, in the same moment
                self._start(order)
            case _:
                pass

    def _start(self, order: Pending) -> None:
        """Perform an order in a task of its own; its event comes back through the inbox."""
        self.tasks[order.id] = asyncio.create_task(self._perform(order, self.state.shown))

    async def _perform(self, order: Pending, transcript: Transcript) -> None:
        try:
            event: AnyEvent | BaseException = await self.performer.perform(order, transcript)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - it is raised again by the loop, which owns the run
            event = error
        self.tasks.pop(order.id, None)
        self.inbox.put(event)

    def waits_alone(self) -> bool:
        """Whether one order alone is carried out."""
        return len(self.tasks) == 1

    def left(self) -> float:
        """Seconds until the next bound on time is reached; endless where there is none."""
        now = asyncio.get_running_loop().time()
        return min((deadline.when() - now for deadline in self.deadlines.values()), default=math.inf)

    async def skip(self) -> None:
        """The clock has moved by itself: bounds are reached sooner, and what follows has happened when this returns."""
        left = [*self.deadlines]
        for deadline in self.deadlines.values():
            deadline.cancel()
        self._start_timers(left, self.ports.clock.now())
        while self.left() <= DUE:
            self.skipping = asyncio.get_running_loop().create_future()
            await self.skipping

    def _start_deadlines(self, now: float) -> None:
        """For each bound on time two moments: when only last words fit into it, and when it is over."""
        bounds = ((bound, spare) for bound in self.plan.time_bounds for spare in {bound.spare, 0.0})
        self._start_timers(bounds, now)

    def _start_timers(self, bounds: Iterable[tuple[TimeBound, float]], now: float) -> None:
        facts = self.state.facts
        for bound, spare in bounds:
            began = (facts.started or now) + (facts.paused if bound.is_working_time else 0.0)
            left = max(0.0, bound.seconds - spare - (now - began))
            self._start_timer(left, bound, spare, facts.paused)

    def _start_timer(self, left: float, bound: TimeBound, spare: float, paused: float) -> None:
        ring = partial(self._deadline, bound, spare, paused)
        self.deadlines[bound, spare] = asyncio.get_running_loop().call_later(left, ring)

    def _deadline(self, bound: TimeBound, spare: float, paused: float) -> None:
        """The bound is reached, unless people were waited for since: `paused` is what was known of that then."""
        now, state = self.ports.clock.now(), self.state
        known = state.facts.paused + (max(0.0, now - state.facts.now) if waits_for_people(state) else 0.0)
        if bound.is_working_time and known > paused:
            self._start_timer(known - paused, bound, spare, known)
            self._come_round()
            return
        del self.deadlines[bound, spare]
        self.inbox.put(DeadlineReached(at=now, limit=bound.limit, spare=spare))

    def _come_round(self) -> None:
        """What was to happen now has happened."""
        if self.skipping is not None and not self.skipping.done():
            self.skipping.set_result(None)

    async def _stop_all(self) -> None:
        """Nothing is left running: cancelled tasks have ended before the run does."""
        for task in self.tasks.values():
            task.cancel()
        self.stopping = [*self.tasks.values(), *self.cancelled]
        self.tasks.clear()
        self.cancelled.clear()
        if self.stopping:
            stopped = asyncio.gather(*self.stopping, return_exceptions=True)
            if self.aborts > 1:  # asked again before there was anything to end at once
                await asyncio.sleep(0)  # the first word is heard before the second
                for task in self.stopping:
                    task.cancel()
            await stopped
        self.stopping = []


def _events(found: Sequence[AnyEvent | BaseException]) -> list[AnyEvent]:
    return [item for item in found if not isinstance(item, BaseException)]


def _ends(event: AnyEvent) -> TypeGuard[AbortRequested | DeadlineReached]:
    return type(event) in (AbortRequested, DeadlineReached)


def _is_late(state: State, event: AnyEvent) -> bool:
    """Whether an event answers an order that was cancelled meanwhile, or comes after the end: it changes nothing."""
    if state.is_over:
        return not isinstance(event, Resumed)
    order = getattr(event, "order", None)
    return order is not None and order not in state.pending


def _numbers(orders: Sequence[AnyOrder]) -> tuple[int, ...]:
    return tuple(order.id for order in orders if isinstance(order, CallModel | CallTool | Ask | Consult))
