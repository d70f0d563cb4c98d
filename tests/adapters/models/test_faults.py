"""What a server does wrong, in every protocol, streamed and not: named, bounded in time, and never half an answer.

Each fault ends within its limit and a second, as a `Failure` of a known class, or as the same whole `Reply` as without
the fault where it does not matter. No failure carries calls: half an argument never reaches a tool.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentspec.core.messages import Failure, Reply
from tests.adapters.models.asking import KEY, ask
from tests.adapters.models.faults import CALL, FAULTS, SILENCE, Fault
from tests.adapters.models.harmless import HARMLESS
from tests.servers.loopback import Drip, Loopback, chunk, response
from tests.servers.said import Said, Speaker
from tests.servers.speakers import SPEAKERS, answers, frame, frames, head

LONG = 20.0  # seconds; nothing below comes near it
SHORT = 1.0  # seconds; the limit that a silent server runs into
FORMS = (False, True)

Answers = dict[tuple[str, bool], Any]


async def in_every_protocol(ask_one: Callable[[Speaker, bool], Awaitable[Any]]) -> Answers:
    """What comes of asking in every protocol, whole and streamed, all at once."""
    asked = [(speaker, streamed) for speaker in SPEAKERS.values() for streamed in FORMS]
    told = await asyncio.gather(*(ask_one(speaker, streamed) for speaker, streamed in asked))
    return {(speaker.provider, streamed): answer for (speaker, streamed), answer in zip(asked, told, strict=True)}


NOTHING: dict[str, Any] = {  # what a server says that is alive and has nothing to say
    "openai": {"choices": [{"index": 0, "delta": {}, "finish_reason": None}]},
    "openai_responses": {"type": "response.in_progress", "response": {}},
    "anthropic": {"type": "ping"},
    "google": {"candidates": [{"content": {"parts": [{"text": ""}]}}]},
    "ollama": {"message": {"role": "assistant", "content": ""}, "done": False},
}


def by_form(value: Any, streamed: bool) -> Any:
    return value[streamed] if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_a_failure_of_its_class_within_its_limit(name: str) -> None:
    fault: Fault = FAULTS[name]
    limit = SHORT if name in SILENCE else LONG

    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        began = time.monotonic()
        async with Loopback([(fault.streamed if streamed else fault.plain)(speaker)]) as server:
            answer = await ask(
                server.url,
                provider=speaker.provider,
                stream=streamed,
                listen=lambda _: None,
                timeout=limit,
                idle_timeout=limit,
            )
        assert isinstance(answer, Failure), answer
        assert fault.words in answer.message
        assert answer.message.startswith(f"{speaker.provider} `m-1` at 127.0.0.1:{server.port}: ")
        assert KEY not in answer.message
        assert len(answer.message) < 600
        assert len(server.asked) == 1
        assert time.monotonic() - began < limit + 5
        return answer.category, answer.retryable, answer.http_status, answer.retry_after

    told = await in_every_protocol(ask_one)

    assert told == {
        (provider, streamed): (
            by_form(fault.category, streamed),
            by_form(fault.retryable, streamed),
            fault.status,
            fault.retry_after,
        )
        for provider in SPEAKERS
        for streamed in FORMS
    }


@pytest.mark.parametrize("name", HARMLESS)
async def test_what_does_not_matter_gives_the_same_reply(name: str) -> None:
    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        async with Loopback([HARMLESS[name](speaker)]) as server:
            answer = await ask(
                server.url,
                provider=speaker.provider,
                stream=streamed,
                listen=lambda _: None,
                timeout=LONG,
                idle_timeout=SHORT if "silence" in name else LONG,
            )
        assert isinstance(answer, Reply), answer
        usage = answer.usage
        return answer.text, answer.calls, answer.finish, answer.model, answer.lost, usage.input_tokens, usage.estimated

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, ("Hello.", (), "stop", "m-1", (), 90, False))


async def test_a_refused_key_is_not_in_what_is_told_of_it() -> None:
    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        words = f"Incorrect API key provided: {KEY}. See https://x.example/?key={KEY}"
        async with Loopback([[response(speaker.refusal(401, words), 401)]]) as server:
            answer = await ask(server.url, provider=speaker.provider, stream=streamed, headers={"x-own": KEY})
        assert KEY not in repr(answer)
        return answer.category, answer.retryable, answer.http_status

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, ("auth", False, 401))


@pytest.mark.parametrize(
    "header", ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-goog-request-id", "cf-ray"]
)
async def test_a_failure_names_the_request_by_the_servers_id(header: str) -> None:
    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        async with Loopback([[response(speaker.refusal(500, "no"), 500, {header: "req-7"})]]) as server:
            answer = await ask(server.url, provider=speaker.provider, stream=streamed)
        return answer.request_id, answer.message.endswith("(request req-7)")

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, ("req-7", True))


async def test_a_stream_that_is_kept_warm_and_says_nothing_ends_at_the_idle_limit() -> None:
    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        nothing = frame(speaker, NOTHING[speaker.provider])
        ping = b"\n" + nothing if speaker.is_lines else b": ping\n\n" + nothing
        begun = b"".join(frames(speaker, Said("Hello."))[0])
        script = [head(speaker), chunk(begun), Drip(chunk(ping) * 400, 0.001), "stall"]
        async with Loopback([script]) as server:
            answer = await ask(server.url, provider=speaker.provider, stream=True, idle_timeout=0.3, timeout=30.0)
        return answer.category, answer.text, "nothing came for 0.3 s" in answer.message

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, ("timeout", "Hello.", True))


@pytest.mark.parametrize("said", [Said("Hello. " * 9), Said(thought="Look it up. " * 9), CALL], ids=str)
async def test_what_had_come_of_an_answer_that_was_cut_is_counted(said: Said) -> None:
    async def ask_one(speaker: Speaker, streamed: bool) -> bool:
        begun = b"".join(frames(speaker, said)[0])
        async with Loopback([[head(speaker), chunk(begun), "close"]]) as server:
            answer = await ask(server.url, provider=speaker.provider, stream=True)
        usage = answer.usage
        return usage.estimated and usage.input_tokens > 0 and usage.output_tokens >= len(said.text + said.thought) // 4

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, True)


async def test_no_more_of_a_stream_is_read_than_was_asked_for() -> None:
    """Far more: a word of the server that its answer is over is not waited for either."""

    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        opening, _ = frames(speaker, Said("word " * 4_000), 500)
        async with Loopback([[head(speaker), *map(chunk, opening), "stall"]]) as server:
            answer = await ask(
                server.url, provider=speaker.provider, stream=True, idle_timeout=LONG, timeout=LONG, asked=100
            )
        return type(answer), answer.finish, len(answer.text) > 4 * 100, answer.usage.estimated, answer.is_complete

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, (Reply, "length", True, True, False))


async def test_thoughts_may_be_longer_than_was_asked_for() -> None:
    said = Said("Hello.", thought="Look it up. " * 2_000)

    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        async with Loopback([answers(speaker, said, streamed=streamed)]) as server:
            answer = await ask(server.url, provider=speaker.provider, stream=streamed, asked=100)
        return answer.text, answer.finish

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, ("Hello.", "stop"))


async def test_an_answer_over_its_limit_is_refused() -> None:
    async def ask_one(speaker: Speaker, streamed: bool) -> tuple[Any, ...]:
        long = Said("x" * 300_000)
        script = answers(speaker, long, streamed=False)
        if streamed:
            opening, closing = frames(speaker, long, 10_000)
            script = [head(speaker), *map(chunk, [*opening, *closing]), chunk(b"")]
        async with Loopback([script]) as server:
            answer = await ask(server.url, provider=speaker.provider, stream=streamed, max_bytes=100_000)
        return answer.category, answer.retryable

    told = await in_every_protocol(ask_one)

    assert told == dict.fromkeys(told, ("bad_response", False))
