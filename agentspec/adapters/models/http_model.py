"""http_model: a model behind an HTTP endpoint, whatever protocol it speaks.

One `answer` is one physical call. It ends with a `Reply` or a `Failure`; nothing but cancellation comes out as an
exception. A stream without its terminal marker is a fault, never an answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from agentspec.adapters.http.address import Target
from agentspec.adapters.http.client import HttpClient
from agentspec.adapters.http.connection import HttpError, Response
from agentspec.adapters.http.waits import Limits
from agentspec.adapters.models.layers.witness import Witness
from agentspec.adapters.models.received import read_answer
from agentspec.adapters.models.wires.dialect import Dialect
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.wires.failures import (
    Refusal,
    classify,
    complaint_of,
    read_complaint,
    refuses_streams,
    shown_host,
    status_of,
)
from agentspec.adapters.models.wires.message_log import Unpaired
from agentspec.adapters.models.wires.pictures import keep
from agentspec.adapters.models.wires.pieces import TooLarge
from agentspec.adapters.models.wires.wire import Reader, Wire
from agentspec.core.messages import Failure, FailureClass, Reply, Usage
from agentspec.ports import Delta, ModelRequest, ModelSettings

STREAMED = 4  # a stream wraps each of its words in ten times as much: so many times the bytes of a whole answer
MAX_REFUSAL = 1 << 16  # bytes of an error that are read
AFTER_FINISH = 5.0  # seconds that a stream may take for its last words once it has said why it stopped

OF_TROUBLE: dict[str, FailureClass] = {
    "connect": "connection",
    "tls": "connection",
    "closed": "connection",
    "timeout": "timeout",
    "malformed": "bad_response",
    "too_large": "bad_response",
}
REQUEST_IDS = (  # by whoever stands before the model: itself, a cloud, a gateway
    "x-request-id", "request-id", "x-goog-request-id", "apim-request-id", "x-amzn-requestid", "cf-ray",
)  # fmt: skip
NEVER_AGAIN = frozenset({"tls", "malformed", "too_large"})  # the same request would meet the same server


class HttpModel:
    """A model that is asked over HTTP in the way of `wire`; one instance serves one run."""

    def __init__(
        self,
        settings: ModelSettings,
        targets: tuple[Target, Target],
        witness: Witness,
        client: HttpClient,
        wires: Sequence[Wire],
    ) -> None:
        """`targets` are where whole answers and where streams are asked for. The first of the `wires` is used until the
        server refuses to think as it asks; another one does not ask for it.
        """
        self.provider = settings.provider
        self.name = settings.model
        self._stream = settings.stream
        limits = _limits(settings)  # the settings themselves hold headers, and are not kept
        self._limits = limits._replace(idle=None), limits  # of a whole answer and of a stream
        self._most = settings.max_bytes
        self._targets = targets
        self._witness = witness
        self._client = client
        self._dialect = Dialect(wires)
        self._goes_on = True  # with the beginning of an answer, until the server refuses one

    @property
    def server(self) -> str:
        """Which server is asked: its host and port."""
        return self._targets[0].host

    @property
    def _wire(self) -> Wire:
        return self._dialect.wire

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Ask once. `listen` hears the pieces of a stream in their order."""
        stream = self._stream if self._stream is not None else listen is not None
        limits = self._limits[stream]
        if request.deadline is not None and request.deadline < (limits.total or math.inf):
            limits = limits._replace(total=request.deadline)
            if request.deadline <= 0:
                return self._witness.failure("timeout", "no time is left for a call")
        if not self._goes_on:
            request = replace(request, begun="")
        wire = self._wire
        try:
            body = wire.body(request, stream=stream)
        except Unpaired as problem:
            return self._witness.failure("invalid_request", f"not sent, the conversation is not whole: {problem}")
        mark = wire.written.mark
        reader = wire.reader(Draft(listen, self._most, request.begun, request.max_output_tokens))
        answer = await self._exchange(body, request, reader, limits, streamed=stream)
        if isinstance(answer, Failure) and answer.usage == Usage():
            answer = replace(answer, usage=reader.draft.spent(len(body)))  # what had begun is paid for
        if isinstance(answer, Reply):
            wire.written.settle(request.role)
        return mark.on(answer)

    async def _exchange(
        self, body: bytes, request: ModelRequest, reader: Reader, limits: Limits, *, streamed: bool
    ) -> Reply | Failure:
        try:
            response = await self._client.send(self._targets[streamed], body, limits)
        except HttpError as trouble:
            return self._trouble(trouble, reader, "")
        try:
            if (await response.wait_head()).status != 200:
                return await self._refusal(response, reader, streamed=streamed)
            return await self._read(response, request, reader, len(body))
        finally:
            response.close()

    async def close(self) -> None:
        """Nothing is held: connections belong to the client."""

    async def _read(self, response: Response, request: ModelRequest, reader: Reader, sent: int) -> Reply | Failure:
        head = await response.wait_head()
        request_id = _request_id(head.headers)
        try:
            kind = head.headers.get("content-type", "").lower().partition(";")[0].strip()
            patience = min(AFTER_FINISH, self._limits[True].idle or AFTER_FINISH)
            await read_answer(response, reader, patience, kind=kind, most=self._most)
        except HttpError as trouble:
            return self._trouble(trouble, reader, request_id)
        except Complained as problem:
            return self._complaint(problem.decoded, head.headers, reader, request_id)
        except Cut:
            return self._fail("connection", "the stream ended before the answer was finished", reader, request_id)
        except TooLarge as problem:
            return self._fail("bad_response", str(problem), reader, request_id)
        except Unreadable as problem:
            return self._fail(
                "bad_response", f"this is no answer: {problem}", reader, request_id, retryable=problem.may_pass
            )
        for words in keep(reader.draft.sights, request.artifacts):
            reader.draft.say(f"\n{words}" if reader.draft.text else words)
        reply = reader.draft.reply(
            provider=self.provider,
            model=self.name,
            origin=self._wire.origin,
            taken=self._wire.written.ids(request),
            position=request.transcript.position,
            sent=sent,
        )
        return self._witness.settle(reply)

    # --- failures

    def _fail(
        self, category: FailureClass, words: str, reader: Reader, request_id: str, *, retryable: bool | None = None
    ) -> Failure:
        return self._witness.failure(
            category,
            words,
            retryable=retryable,
            request_id=request_id or reader.draft.request_id,
            text=reader.draft.shown,
        )

    def _trouble(self, trouble: HttpError, reader: Reader, request_id: str) -> Failure:
        retryable = False if trouble.kind in NEVER_AGAIN else None
        return self._fail(OF_TROUBLE[trouble.kind], str(trouble), reader, request_id, retryable=retryable)

    async def _refusal(self, response: Response, reader: Reader, *, streamed: bool) -> Failure:
        status, headers = await response.wait_head()
        request_id = _request_id(headers)
        try:
            body = await response.read(MAX_REFUSAL)
        except HttpError as trouble:
            return self._trouble(trouble, reader, request_id)
        if 300 <= status < 400:
            host = shown_host(headers.get("location", ""))
            words = f"it redirects to `{host}`, and redirects are not followed; set `base_url` to where it should go"
            return self._witness.failure("invalid_request", words, status=status, request_id=request_id)
        refusal = classify(status, read_complaint(body), headers)
        adapted = self._adapt(refusal, reader.draft, streamed=streamed)
        # Where a shorter answer is asked for, it is not the conversation that is too long.
        is_dialect = adapted and refusal.category == "context_overflow"
        failure = self._witness.failure(
            "invalid_request" if is_dialect else refusal.category,
            refusal.words,
            retryable=refusal.retryable or adapted,
            status=status,
            request_id=request_id,
            retry_after=refusal.retry_after,
        )
        hint = self._hint(status, refusal, streamed=streamed)
        return replace(failure, message=f"{failure.message}; {hint}") if hint else failure

    def _hint(self, status: int, refusal: Refusal, *, streamed: bool) -> str:
        """The way out that only somebody knows who knows what was asked, and where."""
        if streamed and refuses_streams(refusal.words):
            return "`model.stream: false` asks without streaming"
        is_elsewhere = status in (404, 405) and "model" not in refusal.words.lower()
        return self._witness.misplaced if is_elsewhere else ""

    def _adapt(self, refusal: Refusal, draft: Draft, *, streamed: bool) -> bool:
        if draft.begun and refusal.category == "invalid_request":
            self._goes_on = False
            return True
        if streamed and self._stream is None and refuses_streams(refusal.words):
            self._stream = False  # the author left it open
            return True
        return self._dialect.adapt(refusal)

    def _complaint(self, decoded: Any, headers: dict[str, str], reader: Reader, request_id: str) -> Failure:
        complaint = complaint_of(decoded)
        refusal = classify(status_of(complaint), complaint, headers)
        return self._witness.failure(
            refusal.category,
            f"the answer is an error: {refusal.words}",
            retryable=refusal.retryable,
            request_id=request_id or reader.draft.request_id,
            retry_after=refusal.retry_after,
            text=reader.draft.shown,
        )


def _request_id(headers: Mapping[str, str]) -> str:
    if headers.keys().isdisjoint(REQUEST_IDS):
        return ""
    return next((headers[name] for name in REQUEST_IDS if headers.get(name)), "")


def _limits(settings: ModelSettings) -> Limits:
    return Limits(
        connect=settings.connect_timeout,
        first_byte=settings.first_byte_timeout,
        idle=settings.idle_timeout,
        total=settings.timeout,
        body=STREAMED * settings.max_bytes,
    )
