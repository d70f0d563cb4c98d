"""How much of what was sent a run's requests went on from, and what its result and its events say of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from agentspec.core.messages import Failure, Reply
from agentspec.core.orders import CallModel
from agentspec.runtime.prefix import Prefixes

CALL = CallModel(id=1, turn=1, attempt=1, length=1)
KEPT = Reply(provider="p", model="m", prefix_share=1.0, prefix_bytes=100)
BROKEN = replace(KEPT, prefix_share=0.25, prefix_bytes=300)


def follow(*exchanges: tuple[dict, Reply | Failure]) -> tuple[Prefixes, list[tuple[str, ...]]]:
    prefixes, told = Prefixes(), []
    for number, (order, answer) in enumerate(exchanges, 1):
        prefixes.asked(replace(CALL, id=number, **order))
        told.append(prefixes.answered(number, answer))
    return prefixes, told


def test_a_run_of_one_request_has_no_share() -> None:
    prefixes, told = follow(({}, replace(KEPT, prefix_share=0.0, prefix_bytes=0)))

    assert (prefixes.share, dict(prefixes.breaks), told) == (None, {}, [()])


def test_the_share_is_one_of_bytes() -> None:
    prefixes, told = follow(({}, KEPT), ({}, KEPT), ({"reshaped": ("filter",)}, BROKEN))

    assert prefixes.share == pytest.approx((100 + 100 + 75) / 500)
    assert told == [(), (), ("filter",)]


@pytest.mark.parametrize(
    ("order", "reasons"),
    [
        ({}, ("dialect",)),
        ({"reshaped": ("projection", "filter")}, ("projection", "filter")),
        ({"tools": ("look",)}, ("tools",)),
        ({"options": {"temperature": 0}}, ("options",)),
        ({"format": "json", "reshaped": ("compaction",)}, ("compaction", "tool_format")),
    ],
)
def test_every_break_has_a_counted_reason(order: dict, reasons: tuple[str, ...]) -> None:
    prefixes, told = follow(({}, KEPT), (order, BROKEN))

    assert (dict(prefixes.breaks), told[-1]) == (dict.fromkeys(reasons, 1), reasons)


def test_a_route_that_was_left_breaks_for_what_happened_meanwhile() -> None:
    other = replace(KEPT, model="other", prefix_bytes=0, prefix_share=0.0)

    _, told = follow(({}, KEPT), ({"reshaped": ("filter",), "route": 1}, other), ({}, BROKEN))

    assert told == [(), (), ("filter",)]


def test_a_request_that_failed_was_sent_as_well() -> None:
    failed = Failure(category="server_error", message="no", provider="p", model="m", prefix_share=0.5, prefix_bytes=100)

    prefixes, told = follow(({}, KEPT), ({"tools": ("look",)}, failed), ({"tools": ("look",)}, KEPT))

    assert (prefixes.share, told) == (0.8333, [(), ("tools",), ()])
