"""remembered: answer a request that was answered before without asking again. Only whole answers are kept.

The key is everything that the bytes of a request are made of: who is asked and how, the conversation, the tools, and
what varies by turn. Keys and headers are no part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Protocol

import msgspec
from msgspec.structs import replace

from agentspec.core.messages import Failure, Reply, Usage
from agentspec.core.transcript import Transcript
from agentspec.ports import Delta, Model, ModelRequest

WHOLE = ("stop", "tool_calls")  # how an answer ends that is worth keeping


class Answers(Protocol):
    """Where answers are kept, by the hash of what was asked."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, body: bytes) -> None: ...


class RememberedModel:
    """A model whose answers are kept; `who` is what its requests are made of beside what a run asks."""

    def __init__(
        self, model: Model, answers: Answers, who: bytes, mask: Callable[[Reply], Reply], *, writes: bool
    ) -> None:
        self.provider = model.provider
        self.name = model.name
        self._model = model
        self._answers = answers
        self._who = who
        self._mask = mask
        self._writes = writes
        self._seen = Transcript()
        self._digest = hashlib.sha256()

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """The kept answer, or a new one; a kept one has used nothing, and no call was made for it."""
        key = self._key(request)
        kept = _read(self._answers.get(key))
        if kept is not None:
            reply = replace(kept, usage=Usage(), is_unsent=True)
            if listen is not None and reply.text:
                listen(Delta(kind="text_delta", text=reply.text))
            return reply
        answer = await self._model.answer(request, listen)
        if self._writes and isinstance(answer, Reply) and answer.is_complete and answer.finish in WHOLE:
            self._answers.put(key, msgspec.json.encode(self._mask(answer)))
        return answer

    def _key(self, request: ModelRequest) -> str:
        digest = self._followed(request.transcript).copy()
        rest = replace(request, transcript=Transcript(), route=0, deadline=None)
        digest.update(msgspec.json.encode(rest, order="deterministic", enc_hook=lambda _: None))
        return digest.hexdigest()

    def _followed(self, transcript: Transcript) -> hashlib._Hash:
        """The hash of who is asked and of the conversation so far; what was hashed before is not walked again."""
        if not len(self._seen) or not transcript.is_extension_of(self._seen):
            self._seen, self._digest = Transcript(), hashlib.sha256(self._who)
        for message in transcript.since(len(self._seen)):
            self._digest.update(msgspec.json.encode(message, order="deterministic") + b"\n")
        self._seen = transcript
        return self._digest

    async def close(self) -> None:
        await self._model.close()


def _read(kept: bytes | None) -> Reply | None:
    """The answer that was kept; None where another version wrote it in a way that this one can't read."""
    try:
        return None if kept is None else msgspec.json.decode(kept, type=Reply)
    except msgspec.MsgspecError:
        return None
