"""pots: runs that draw on one pot of tokens or dollars, such as a run and its children. Never overspent.

A call reserves before it is made: its request, and an answer no longer than its share of what is left, divided among
the branches that are running or queued. What it did not use comes back when it is settled. A branch whose share is
too small waits in line while a sibling's call is in flight, and is refused only when none is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from msgspec.structs import replace

from agentspec.core.limits.price import Price, cost_of
from agentspec.core.limits.reserve import USUAL_OUTPUT, Measured, bytes_of_request, estimate, least_output, request_cost
from agentspec.core.messages import Failure, Reply, Usage
from agentspec.core.record import Record
from agentspec.ports import Delta, Model, ModelRequest

MILLION = 1_000_000


class Wish(Record, frozen=True):
    """A call that a branch wants to make: the tokens of its request, and how long its answer may and must be."""

    request: int
    longest: int
    least: int
    price: Price = Price()
    seconds: float = 0.0  # that it can take, where time is paid for


class Reserved(Record, frozen=True):
    """What a call has been given: the longest answer, and what is taken out of the pots for it."""

    output: int
    tokens: int
    cost: float


class Ledger:
    """The arithmetic of pots: what is spent, what is reserved, and the share of a branch. It waits for nobody."""

    def __init__(self, tokens: int | None = None, cost_usd: float | None = None) -> None:
        self.tokens = tokens
        self.cost_usd = cost_usd
        self.spent_tokens = 0
        self.spent_cost = 0.0
        self.reserved_tokens = 0
        self.reserved_cost = 0.0
        self.branches = 0
        self.in_flight = 0

    def share(self, wish: Wish) -> int:
        """The longest answer that a branch may have now; below its least where its share is too small."""
        branches = max(1, self.branches)
        rooms = [wish.longest]
        if self.tokens is not None:
            left = self.tokens - self.spent_tokens - self.reserved_tokens
            rooms.append((left - wish.request) // branches)
        if self.cost_usd is not None:
            cost = self.cost_usd - self.spent_cost - self.reserved_cost
            cost -= request_cost(wish.request, wish.price, seconds=wish.seconds)
            dollars = wish.price.at(wish.request).output
            if cost < 0 or dollars > 0:
                rooms.append(int(cost / branches * MILLION / dollars) if dollars else -1)
        return min(rooms)

    def reserve(self, wish: Wish) -> Reserved | None:
        """Take a branch's share out of the pots, or nothing where it is too small."""
        output = self.share(wish)
        if output < wish.least:
            return None
        cost = request_cost(wish.request, wish.price, seconds=wish.seconds)
        cost += output * wish.price.at(wish.request).output / MILLION
        reserved = Reserved(output=output, tokens=wish.request + output, cost=cost)
        self.reserved_tokens += reserved.tokens
        self.reserved_cost += reserved.cost
        self.in_flight += 1
        return reserved

    def settle(self, reserved: Reserved, tokens: int, cost: float) -> None:
        """Put back what was reserved, and count what was used."""
        self.in_flight -= 1
        self.reserved_tokens -= reserved.tokens
        self.reserved_cost = self.reserved_cost - reserved.cost if self.in_flight else 0.0
        self.spent_tokens += tokens
        self.spent_cost += cost

    def lacking(self, wish: Wish) -> str:
        """Which pot is too small for a call."""
        if self.tokens is None:
            return "cost_usd"
        left = self.tokens - self.spent_tokens - self.reserved_tokens - wish.request
        return "tokens" if left // max(1, self.branches) < wish.least else "cost_usd"


class Pots:
    """Pots that branches draw on, first come, first served. All of them live on one event loop."""

    def __init__(self, tokens: int | None = None, cost_usd: float | None = None) -> None:
        self.ledger = Ledger(tokens, cost_usd)
        self._line: deque[tuple[Branch, Wish, asyncio.Future[Reserved | str]]] = deque()

    def join(self) -> Branch:
        """One more run draws on these pots, from now on until it leaves. Those that are still queued join as well."""
        self.ledger.branches += 1
        return Branch(self)

    async def draw(self, branch: Branch, wish: Wish) -> Reserved | str:
        """What a branch may use for a call; the name of a pot where it is refused, and has left."""
        answered: asyncio.Future[Reserved | str] = asyncio.get_running_loop().create_future()
        entry = (branch, wish, answered)
        self._line.append(entry)
        self.serve()
        try:
            return await answered
        except asyncio.CancelledError:
            if answered.done() and not answered.cancelled() and isinstance(given := answered.result(), Reserved):
                self.settle(given, 0, 0.0)  # it was never used
            elif entry in self._line:
                self._line.remove(entry)
                self.serve()
            raise

    def settle(self, reserved: Reserved, tokens: int, cost: float) -> None:
        self.ledger.settle(reserved, tokens, cost)
        self.serve()

    def leave(self) -> None:
        self.ledger.branches -= 1
        self.serve()

    def serve(self) -> None:
        """Answer those in line, in their order, until one has to wait."""
        while self._line:
            branch, wish, answered = self._line[0]
            given: Reserved | str | None = self.ledger.reserve(wish)
            if given is None:
                if self.ledger.in_flight:
                    return
                given = self.ledger.lacking(wish)
            self._line.popleft()
            answered.set_result(given)
            if isinstance(given, str):
                branch.leave()  # its share is the others' now


class Branch:
    """A run's access to pots."""

    def __init__(self, pots: Pots) -> None:
        self.pots = pots
        self.has_left = False

    def leave(self) -> None:
        """The run is over, or was refused: its share is divided among the others."""
        if not self.has_left:
            self.has_left = True
            self.pots.leave()


class PottedModel:
    """A model whose every call draws on pots that other runs draw on as well."""

    def __init__(
        self,
        model: Model,
        branch: Branch,
        *,
        price: Price | None = None,
        longest: int | None = None,
        thinks: bool = False,
        seconds: float = 120.0,
    ) -> None:
        self.provider = model.provider
        self.name = model.name
        self._model = model
        self._branch = branch
        self._price = price or Price()
        self._longest = longest
        self._thinks = thinks
        self._seconds = seconds
        self._measured = Measured()

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Reserve, ask, settle. A refusal is a failure that names its limit."""
        size = bytes_of_request(request.transcript, request.harness, request.tools)
        measured = self._measured if request.role == "worker" else Measured()
        longest = request.max_output_tokens or self._longest
        wish = Wish(
            request=estimate(measured, size),
            longest=min(longest or USUAL_OUTPUT, self._longest or USUAL_OUTPUT),
            least=least_output(longest, thinks=self._thinks),
            price=self._price,
            seconds=self._seconds,
        )
        pots = self._branch.pots
        given = "tokens" if self._branch.has_left else await pots.draw(self._branch, wish)
        if isinstance(given, str):
            return self._refused(given)
        answer: Reply | Failure | None = None
        used = Usage(input_tokens=wish.request, output_tokens=given.output)  # of a call that was cut off, the most
        seconds = self._seconds
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            answer = await self._model.answer(replace(request, max_output_tokens=given.output), listen)
            used, seconds = answer.usage, loop.time() - began - answer.waited_ms / 1000
        finally:
            is_free = answer is not None and answer.is_unsent
            cost = 0.0 if is_free else cost_of(used, self._price, seconds=seconds)
            pots.settle(given, used.input_tokens + used.output_tokens, cost)
        if request.role == "worker" and used.input_tokens and not used.estimated:
            self._measured = Measured(used.input_tokens, size)
        return answer

    def _refused(self, limit: str) -> Failure:
        words = f"the pot of `{limit}` that this run shares with others has too little left for a call"
        return Failure(
            category="invalid_request",
            message=words,
            provider=self.provider,
            model=self.name,
            limit=limit,
            is_unsent=True,
        )

    async def close(self) -> None:
        """Leave the pots, and close the model."""
        self._branch.leave()
        await self._model.close()
