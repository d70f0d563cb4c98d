"""openai: OpenAI Chat Completions, and whatever speaks it.

One `answer` is one physical call. It ends with a `Reply` or a `Failure`; nothing but cancellation comes out as an
exception. A stream without its terminal marker is a fault, never an answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from agentspec.adapters.models.failures import (
    Refusal,
    classify,
    complaint_of,
    read_complaint,
    refuses_streams,
    shown_host,
    status_of,
)
from agentspec.adapters.models.http import HttpClient
from agentspec.adapters.models.http_address import Target
from agentspec.adapters.models.http_connection import HttpError, Limits, Response
from agentspec.adapters.models.openai_body import BLANK, last_events, looks_like_events, read_body, take_events
from agentspec.adapters.models.openai_reply import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.openai_wire import RequestWriter, Unpaired
from agentspec.adapters.models.pieces import TooLarge
from agentspec.adapters.models.settings import ModelSettings
from agentspec.adapters.models.sse import SseParser
from agentspec.adapters.models.witness import Witness
from agentspec.core.messages import Failure, FailureClass, Reply, Usage, bytes_of
from agentspec.core.replies import estimate_tokens
from agentspec.ports import Delta, ModelRequest

PATH = "/chat/completions"
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
VERSION = re.compile(r"(?:^|/)v\d")
NULL = re.compile(r"\b(null|none|nonetype|nil|must be a string|expected a string|valid string)\b")
LONGEST = re.compile(
    r"(at most|maximum context length is) (\d{2,7}) "
)  # tokens, in complaints that too many were asked
NEVER_AGAIN = frozenset({"tls", "malformed", "too_large"})  # the same request would meet the same server


class OpenAIModel:
    """A model behind a Chat Completions endpoint; one instance serves one run."""

    def __init__(self, settings: ModelSettings, target: Target, witness: Witness, client: HttpClient) -> None:
        self.provider = settings.provider or "openai"
        self.name = settings.model
        self._stream = settings.stream
        self._limits = _limits(settings)  # the settings themselves hold headers, and are not kept
        self._most = settings.max_bytes
        self._target = target
        self._witness = witness
        self._client = client
        self._origin = f"{target.shown} {settings.model}"
        constant = {"model": settings.model, **settings.sampling, **settings.options}
        self._writer = RequestWriter(constant, self._origin)

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        """Ask once. `listen` hears the pieces of a stream in their order."""
        stream = self._stream if self._stream is not None else listen is not None
        limits = self._limits
        if request.deadline is not None and request.deadline < (limits.total or math.inf):
            limits = limits._replace(total=request.deadline)
            if request.deadline <= 0:
                return self._witness.failure("timeout", "no time is left for a call")
        if not stream:
            limits = limits._replace(idle=None)
        try:
            body = self._writer.body(request, stream=stream)
        except Unpaired as problem:
            return self._witness.failure("invalid_request", f"not sent, the conversation is not whole: {problem}")
        mark = self._writer.mark
        answer = await self._exchange(body, request, Draft(listen, self._most), limits, streamed=stream)
        if isinstance(answer, Failure) and answer.text and answer.usage == Usage():
            # It had begun to answer, so it is paid for; a stream that was cut never told how much it was.
            written = estimate_tokens(bytes_of(answer.text))
            answer = replace(answer, usage=Usage(estimate_tokens(len(body)), written, estimated=True))
        return replace(answer, request_hash=mark.hash, prefix_share=mark.prefix_share)

    async def _exchange(
        self, body: bytes, request: ModelRequest, draft: Draft, limits: Limits, *, streamed: bool
    ) -> Reply | Failure:
        try:
            response = await self._client.send(self._target, body, limits)
        except HttpError as trouble:
            return self._trouble(trouble, draft, "")
        try:
            if (await response.wait_head()).status != 200:
                return await self._refusal(response, draft, streamed=streamed)
            return await self._read(response, request, draft, len(body))
        finally:
            response.close()

    async def close(self) -> None:
        """Nothing is held: connections belong to the client."""

    async def _read(self, response: Response, request: ModelRequest, draft: Draft, sent: int) -> Reply | Failure:
        head = await response.wait_head()
        request_id = head.headers.get("x-request-id", "")
        try:
            is_stream = head.headers.get("content-type", "").lower().startswith("text/event-stream")
            patience = min(AFTER_FINISH, self._limits.idle or AFTER_FINISH)
            await _read_answer(response, draft, patience, is_stream=is_stream, most=self._most)
        except HttpError as trouble:
            return self._trouble(trouble, draft, request_id)
        except Complained as problem:
            return self._complaint(problem.decoded, head.headers, draft, request_id)
        except Cut:
            return self._fail("connection", "the stream ended before the answer was finished", draft, request_id)
        except TooLarge as problem:
            return self._fail("bad_response", str(problem), draft, request_id)
        except Unreadable as problem:
            return self._fail(
                "bad_response", f"this is no answer: {problem}", draft, request_id, retryable=problem.may_pass
            )
        reply = draft.reply(
            provider=self.provider,
            model=self.name,
            origin=self._origin,
            taken=self._writer.ids(request),
            position=len(request.transcript),
            sent=sent,
        )
        return self._witness.settle(reply)

    # --- failures

    def _fail(
        self, category: FailureClass, words: str, draft: Draft, request_id: str, *, retryable: bool | None = None
    ) -> Failure:
        return self._witness.failure(
            category, words, retryable=retryable, request_id=request_id or draft.request_id, text=draft.shown
        )

    def _trouble(self, trouble: HttpError, draft: Draft, request_id: str) -> Failure:
        retryable = False if trouble.kind in NEVER_AGAIN else None
        return self._fail(OF_TROUBLE[trouble.kind], str(trouble), draft, request_id, retryable=retryable)

    async def _refusal(self, response: Response, draft: Draft, *, streamed: bool) -> Failure:
        status, headers = await response.wait_head()
        request_id = headers.get("x-request-id", "")
        try:
            body = await response.read(MAX_REFUSAL)
        except HttpError as trouble:
            return self._trouble(trouble, draft, request_id)
        if 300 <= status < 400:
            host = shown_host(headers.get("location", ""))
            words = f"it redirects to `{host}`, and redirects are not followed; set `base_url` to where it should go"
            return self._witness.failure("invalid_request", words, status=status, request_id=request_id)
        refusal = classify(status, read_complaint(body), headers)
        adapted = self._adapt(refusal, streamed=streamed)
        failure = self._witness.failure(
            refusal.category,
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
        path = self._target.shown.partition("://")[2].partition("/")[2]
        if status in (404, 405) and "model" not in refusal.words.lower() and not VERSION.search(path):
            return "the path of `base_url` has no `/v1`, and most servers answer under it"
        return ""

    def _adapt(self, refusal: Refusal, *, streamed: bool) -> bool:
        """Learn the server's dialect from its complaint, once for each trait; whether trying again can help."""
        if streamed and self._stream is None and refuses_streams(refusal.words):
            self._stream = False  # the author left it open
            return True
        writer, words = self._writer, refusal.words.lower()
        longest = LONGEST.search(words) if "too large" in words and "max_" in words else None
        if writer.longest is None and longest is not None:
            # A window holds the request as well: half of it is surely enough for an answer.
            writer.longest = int(longest[2]) // (2 if longest[1].startswith("max") else 1)
            return True
        if refusal.category != "invalid_request":
            return False
        if writer.output_limit == "max_tokens" and "max_completion_tokens" in words:
            writer.rename_output_limit("max_completion_tokens")
            return True
        if writer.asks_for_usage and "stream_options" in words:
            writer.asks_for_usage = False
            writer.forget()
            return True
        if writer.has_restricted and ("tool_choice" in words or "allowed_tools" in words):
            writer.restricts = writer.has_restricted = False
            return True
        if writer.no_text is None and "content" in words and NULL.search(words):
            writer.no_text = ""
            writer.forget()
            return True
        return False

    def _complaint(self, decoded: Any, headers: dict[str, str], draft: Draft, request_id: str) -> Failure:
        complaint = complaint_of(decoded)
        refusal = classify(status_of(complaint), complaint, headers)
        return self._witness.failure(
            refusal.category,
            f"the answer is an error: {refusal.words}",
            retryable=refusal.retryable,
            request_id=request_id or draft.request_id,
            retry_after=refusal.retry_after,
            text=draft.shown,
        )


def _limits(settings: ModelSettings) -> Limits:
    return Limits(
        connect=settings.connect_timeout,
        first_byte=settings.first_byte_timeout,
        idle=settings.idle_timeout,
        total=settings.timeout,
        body=STREAMED * settings.max_bytes,
    )


async def _read_answer(response: Response, draft: Draft, patience: float, *, is_stream: bool, most: int) -> None:
    """Read a body, as a stream where it is one: the first bytes tell it better than headers do.

    `patience` is how long a stream may take for its last words once its finish reason has come; a body that is no
    stream may have `most` bytes. Raises `TooLarge`.
    """
    first = b""
    while not first.strip(BLANK):
        data = await response.chunk()
        if not data:
            if is_stream:
                raise Cut
            break
        first += data
    if looks_like_events(first):
        await _read_stream(first, response, draft, patience)
        return
    body = bytearray(first)
    while data := await response.chunk():
        response.progress()
        body += data
        if len(body) > most:
            raise TooLarge(most)
    del first, data
    read_body(bytes(body), draft)


async def _read_stream(data: bytes, response: Response, draft: Draft, patience: float) -> None:
    """Read until the terminal marker: `[DONE]`, or a finish reason and then the end. Raises `Cut` without one."""
    parser = SseParser()
    try:
        while data:
            taken = take_events(parser.feed(data), draft)
            if taken.is_done:
                response.discard()
                break
            if taken.is_real:
                response.progress()
                if draft.finish is not None:
                    response.hurry(patience)
            data = await response.chunk()
        if not draft.is_done:
            take_events(last_events(parser), draft)
    except HttpError:
        if draft.finish is None:
            raise
    draft.end()
