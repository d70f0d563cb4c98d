"""paced: hold the calls of a provider to a rate, whichever runs of this process make them.

Who has to wait stands in one line, first come, first served. No call is refused for the rate, and none is made early.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from agentspec.core.limits.reserve import USUAL_OUTPUT, Measured, bytes_of_request, estimate
from agentspec.core.messages import Failure, Reply
from agentspec.core.record import Record
from agentspec.ports import Clock, Delta, Model, ModelRequest

MINUTE = 60.0


class Rate(Record, frozen=True):
    """At most so much; None where nobody set a limit. Tokens are those of requests and answers together."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrency: int | None = None


class Call:
    """One call of the last minute: when it was made, and its tokens, estimated until its answer tells them."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens


class Place(NamedTuple):
    """Somebody's place in the line, on whatever event loop; `turn` is set when it may look again."""

    loop: asyncio.AbstractEventLoop
    turn: asyncio.Event

    def wake(self) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.turn.set)


class Pace:
    """The calls of one provider in the last minute, and who waits to make one."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque()
        self._line: deque[Place] = deque()
        self._in_flight = 0

    async def enter(self, rate: Rate, tokens: int, clock: Clock) -> Call:
        """Wait until one more call with so many tokens keeps to the rate, and count it."""
        place = Place(asyncio.get_running_loop(), asyncio.Event())
        self._line.append(place)
        try:
            while True:
                wait = self.wait(rate, tokens, clock.elapsed()) if self._line[0] is place else math.inf
                if wait <= 0:
                    call = Call(clock.elapsed(), tokens)
                    self._calls.append(call)
                    self._in_flight += 1
                    return call
                place.turn.clear()
                await (place.turn.wait() if math.isinf(wait) else clock.sleep(wait))
        finally:
            self._line.remove(place)
            self._wake()

    def leave(self, call: Call, tokens: int | None) -> None:
        """The call is over; `tokens` is what it used, None where nobody knows."""
        self._in_flight -= 1
        if tokens is not None:
            call.tokens = tokens
        self._wake()

    def wait(self, rate: Rate, tokens: int, now: float) -> float:
        """The seconds until a call keeps to the rate; infinity where another one has to end first.

        A call with more tokens than a minute has waits until nothing else was used in one.

        >>> pace = Pace()
        >>> pace.wait(Rate(requests_per_minute=1), 10, now=0.0)
        0.0
        """
        while self._calls and self._calls[0].at <= now - MINUTE:
            self._calls.popleft()
        if rate.concurrency is not None and self._in_flight >= rate.concurrency:
            return math.inf
        left = math.inf if rate.requests_per_minute is None else rate.requests_per_minute - 1
        room = math.inf if rate.tokens_per_minute is None else max(rate.tokens_per_minute - tokens, 0)
        requests, used = len(self._calls), sum(call.tokens for call in self._calls)
        wait = 0.0
        for call in self._calls:  # the oldest first: when it is a minute old, it counts no more
            if requests <= left and used <= room:
                break
            wait = call.at + MINUTE - now
            requests, used = requests - 1, used - call.tokens
        return wait

    def _wake(self) -> None:
        if self._line:
            self._line[0].wake()


class PacedModel:
    """A model whose calls keep to a rate that others of its provider count for as well."""

    def __init__(self, model: Model, pace: Pace, rate: Rate, clock: Clock) -> None:
        self.provider = model.provider
        self.name = model.name
        self._model = model
        self._pace = pace
        self._rate = rate
        self._clock = clock
        self._measured = Measured()

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Wait, and ask once; the answer says how long it had to wait."""
        size = bytes_of_request(request.transcript, request.harness, request.tools)
        measured = self._measured if request.role == "worker" else Measured()
        longest = request.max_output_tokens or USUAL_OUTPUT // 16  # most answers are short, and counted when they end
        began = self._clock.elapsed()
        call = await self._pace.enter(self._rate, estimate(measured, size) + longest, self._clock)
        waited = round((self._clock.elapsed() - began) * 1000)
        used = None
        try:
            answer = await self._model.answer(request, listen)
            used = answer.usage.input_tokens + answer.usage.output_tokens
        finally:
            self._pace.leave(call, used)
        if request.role == "worker" and answer.usage.input_tokens:
            self._measured = Measured(answer.usage.input_tokens, size)
        return replace(answer, waited_ms=waited)

    async def close(self) -> None:
        await self._model.close()
