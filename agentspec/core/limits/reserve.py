"""reserve: whether a call of a model fits into what is left, and how long its answer may then be. Pure arithmetic.

Estimates err on the side of too much: no pot is overspent because a request was larger than it was thought to be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from agentspec.core.facts import LeftFacts
from agentspec.core.limits.price import MILLION, Price
from agentspec.core.orders import Consultation
from agentspec.core.record import Record
from agentspec.core.tools import Shown, bytes_of_tool
from agentspec.core.transcript import MESSAGE_BYTES, Transcript, bytes_of
from agentspec.spec import windows

# Bytes of a token where nothing is reported yet: fewer than prose has (4 to 5); code and JSON come near it.
BYTES_PER_TOKEN = 3
MOST_PER_BYTE = 0.5  # tokens; text that no vocabulary knows (digests, base64) has about as many
LEAST_OUTPUT = 64  # tokens of an answer; a call that could get fewer is not made
LEAST_REASONED = 2_048  # the same where the model thinks first, and its thoughts are output as well
USUAL_OUTPUT = windows.USUAL_OUTPUT
LONGEST_OUTPUT = 131_072  # no model writes more in one answer


class Measured(Record, frozen=True):
    """The newest request whose tokens a provider has counted, its size in bytes, and the route that it went.

    Models count differently: what one has counted says nothing of the next.
    """

    tokens: int = 0
    size: int = 0
    route: int = 0

    def on(self, route: int) -> Measured:
        """What is known of requests that go this route."""
        return self if route == self.route else Measured(route=route)


def estimate(measured: Measured, size: int) -> int:
    """The tokens of a request of `size` bytes, rather too many: as counted last, and what has come to it since.

    >>> estimate(Measured(), 300), estimate(Measured(tokens=100, size=400), 430), estimate(Measured(100, 400), 200)
    (100, 110, 50)
    """
    if not measured.size:
        return math.ceil(size / BYTES_PER_TOKEN)
    if size < measured.size:
        return math.ceil(measured.tokens * size / measured.size)
    a_byte = min(max(measured.tokens / measured.size, 1 / BYTES_PER_TOKEN), MOST_PER_BYTE)
    return measured.tokens + math.ceil((size - measured.size) * a_byte)


def bytes_of_request(transcript: Transcript, harness: str | None, tools: Iterable[Shown]) -> int:
    """About how many bytes a request has."""
    return transcript.size + bytes_of(harness or "") + sum(map(bytes_of_tool, tools))


def request_cost(tokens: int, price: Price, *, seconds: float = 0.0) -> float:
    """The most that a request of so many tokens costs before a word of its answer, in dollars."""
    price = price.at(tokens)
    dearest = price.input
    if price.cached_input is not None or price.cache_write is not None:
        dearest = max(dearest, price.cached_input or 0.0, price.cache_write or 0.0)
    return tokens * dearest / MILLION + price.per_call + price.per_second * seconds


def room_of_cost(cost: float, tokens: int, price: Price, *, seconds: float = 0.0) -> int:
    """The longest answer that `cost` dollars pay for, to a request of so many tokens that may take so long.

    >>> room_of_cost(0.01, 1_000, Price(input=2.0, output=8.0))
    1000
    """
    left = cost - request_cost(tokens, price, seconds=seconds)
    if left < 0.0:
        return 0
    dollars = price.at(tokens).output
    tokens_paid = left * MILLION / dollars + 1e-6 if dollars else math.inf
    return int(min(tokens_paid, LONGEST_OUTPUT))


def least_output(longest: int | None, *, thinks: bool = False) -> int:
    """The shortest answer that is worth a call. `longest` is what the author allows an answer to have."""
    least = LEAST_REASONED if thinks else LEAST_OUTPUT
    return least if longest is None else min(least, longest)


def output_cap(room: int, longest: int | None) -> int | None:
    """The cap that keeps an answer inside its room, or None where none is needed.

    >>> output_cap(500, None), output_cap(500, 200), output_cap(40_000, None), output_cap(1_000_000, None)
    (500, None, 16384, None)
    """
    if longest is not None:
        return None if room >= longest else room
    return None if room >= LONGEST_OUTPUT else min(room, USUAL_OUTPUT)


def within(question: Consultation, left: LeftFacts, price: Price | None = None) -> Consultation | None:
    """A question to a model beside the worker, its answer capped at what is left; None where it does not fit.

    >>> within(Consultation("Judge.", "Is it done?"), LeftFacts(tokens=200)).max_output_tokens
    169
    >>> within(Consultation("Judge.", "Is it done?"), LeftFacts(tokens=80)) is None
    True
    """
    rooms = rooms_for(question, left, price)
    if not rooms:
        return question
    longest = question.max_output_tokens
    room = min(rooms.values())
    if room < least_output(longest):
        return None
    return replace(question, max_output_tokens=output_cap(room, longest) or longest)


def rooms_for(question: Consultation, left: LeftFacts, price: Price | None = None) -> dict[str, int]:
    """For each bound that a question draws on, the longest answer that it leaves room for.

    >>> rooms_for(Consultation("Judge.", "Is it done?"), LeftFacts(tokens=200, provider_calls=0))
    {'tokens': 169, 'provider_calls': 0}
    """
    size = bytes_of(question.system) + bytes_of(question.packet) + 2 * MESSAGE_BYTES
    size += len(msgspec.json.encode(question.schema)) if question.schema is not None else 0
    request = estimate(Measured(), size)
    rooms = {} if left.tokens is None else {"tokens": left.tokens - request}
    if left.cost_usd is not None and price is not None:
        rooms["cost_usd"] = room_of_cost(left.cost_usd, request, price, seconds=question.timeout)
    if left.provider_calls is not None and left.provider_calls < 1:
        rooms["provider_calls"] = 0
    return rooms
