"""Whatever a server sends, whole or in pieces, is a reply or a failure with a name; what a model writes is read or not."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest

from agentspec.adapters.models.providers import PROVIDERS
from agentspec.adapters.models.wires.body import read_body
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.wires.openai_reply import ChatReader
from agentspec.adapters.models.wires.sse import SseParser
from agentspec.adapters.models.wires.wire import Reader
from agentspec.core.calls.arguments import parse
from agentspec.core.formats.answer import read_value
from agentspec.core.formats.leaked import read_leaked
from agentspec.core.formats.steps import read_step
from agentspec.core.formats.tagged import read_tagged
from agentspec.core.messages import Reply
from tests.fuzz.damage import SEEDS, damaged, damaged_bytes, lean, quick
from tests.servers.loopback import DONE, call_piece, completion, event, piece, usage_piece
from tests.servers.said import Call, Said
from tests.servers.speakers import SPEAKERS, frames

Reading: TypeAlias = Callable[[Draft], Reader]

ARGUMENTS = '{"path": "a/é🎉.txt", "lines": [1, -2.5e3, null, true], "deep": {"a": {"b": "\\u00e9\\n\\""}}}'
CALL = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": ARGUMENTS}}
SAID = Said("é I look 🙂", (Call("a", "lookup", {"k": "é"}), Call("b", "lookup", {})), "Hm.", "calls")


def spoken() -> Iterator[tuple[Reading, bytes]]:
    """What each protocol says: whole, and in a stream of events."""
    for speaker in SPEAKERS.values():
        reader = PROVIDERS[speaker.provider].wire({"model": "m-1"}, "here").reader
        yield reader, json.dumps(speaker.whole(SAID)).encode()
        if not speaker.is_lines:
            opening, closing = frames(speaker, SAID)
            yield reader, b"".join([*opening, *closing])


BODIES: tuple[tuple[Reading, bytes], ...] = (
    (ChatReader, json.dumps(completion({"content": "é🎉", "tool_calls": [CALL]}, "tool_calls")).encode()),
    (ChatReader, json.dumps(completion({"content": None, "reasoning_content": "so", "refusal": "no"})).encode()),
    (ChatReader, piece({"content": "Ich schaue 🙂"}) + call_piece(0, "a", "lookup", "") + call_piece(0, None, None, '{"k":1}')
        + piece({}, "tool_calls") + usage_piece() + DONE),
    (ChatReader, event(b'{"error": {"message": "overloaded", "code": 529}}')),
    *spoken(),
)  # fmt: skip
TEXTS = [
    f'I read it.\n<tool_call>\n{{"name": "read_file", "arguments": {ARGUMENTS}}}\n</tool_call>\n',
    f'```json\n{{"action": "call", "tool": "read_file", "args": {ARGUMENTS}}}\n```',
    f'{{"name": "read_file", "parameters": {ARGUMENTS}}}',
    ARGUMENTS,
    "{'path': 'a', 'n': True,}",
    "<function=read_file><parameter=path>a</parameter></function> ##DONE##",
    '{"action": "answer", "answer": "Fertig: 🙂"}',
]


def answer(body: bytes, reader: Reading) -> None:
    draft = Draft(None)
    with quick(body), contextlib.suppress(Unreadable, Complained, Cut):
        read_body(body, reader(draft))
        reply = draft.reply(provider="openai", model="m", origin="here", taken=set(), position=4, sent=400)
        assert isinstance(reply, Reply)
        assert len({call.id for call in reply.calls}) == len(reply.calls)
        assert all(call.name for call in reply.calls)


def answer_many(seed: int, count: int) -> None:
    chance = random.Random(seed)
    with lean():
        for _ in range(count):
            reader, body = chance.choice(BODIES)
            if chance.random() < 0.5:
                answer(damaged_bytes(body, chance), reader)
            else:
                texts = [each.decode() for _, each in BODIES]
                answer(damaged(body.decode(), texts, chance).encode("utf-8", "surrogatepass"), reader)


def stream_many(seed: int, count: int) -> None:
    """Where the network cuts a damaged stream makes no difference to its events."""
    chance = random.Random(seed)
    streams = [body for _, body in BODIES if b"data:" in body]
    for _ in range(count):
        body = damaged_bytes(chance.choice(streams), chance)
        whole, parts = SseParser(), SseParser()
        at, events = 0, []
        with quick(body):
            while at < len(body):
                step = chance.choice((1, 2, 3, 7, 50, 400))
                events += parts.feed(body[at : at + step])
                at += step
            assert events + parts.rest() == whole.feed(body) + whole.rest(), body


def read_many(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        text = damaged(chance.choice(TEXTS), TEXTS, chance)
        with quick(text):
            arguments = parse(text, was_cut=chance.random() < 0.3)
            assert (arguments.arguments is None) == bool(arguments.problem), text
            read_step(text)
            read_tagged(text)
            read_value(text)
            assert all(call.name == "read_file" for call in read_leaked(text, {"read_file"}))


def test_damaged_replies_streams_and_texts_are_read_or_refused() -> None:
    answer_many(1, 300)
    stream_many(2, 200)
    read_many(3, 300)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_many_damaged_replies_streams_and_texts_are_read_or_refused(seed: int) -> None:
    answer_many(100 + seed, 5000)
    stream_many(200 + seed, 2000)
    read_many(300 + seed, 4000)
