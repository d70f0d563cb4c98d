"""witness: who is asked, and every failure told about it: which provider, model, host, status and request.

The secrets that were sent are known here so that they never show; they are in no record and in no `repr`.
"""

from __future__ import annotations

from typing import NamedTuple

from agentspec.adapters.models.wires.failures import BROKEN_CALL, GIVEN_UP, RETRYABLE, redact
from agentspec.core.messages import Failure, FailureClass, Reply, Usage


class Witness(NamedTuple):
    """Who is asked, for the messages of its failures; `secrets` never show in one.

    `misplaced` says what may be wrong with the address, where nothing answers at it.
    """

    provider: str
    model: str
    where: str
    secrets: tuple[str, ...] = ()
    misplaced: str = ""

    def __repr__(self) -> str:
        return f"Witness({self.provider!r}, {self.model!r}, {self.where!r})"

    def failure(
        self,
        category: FailureClass,
        words: str,
        *,
        retryable: bool | None = None,
        status: int | None = None,
        request_id: str = "",
        text: str = "",
        retry_after: float | None = None,
        usage: Usage = Usage(),  # noqa: B008 - a frozen record
    ) -> Failure:
        """A `Failure` whose message names provider, model, status and request, redacted."""
        request_id = redact(request_id, self.secrets)[:80]
        who = f"{self.provider} `{self.model}`" if self.model else self.provider
        code = f"HTTP {status}: " if status is not None else ""
        tail = f" (request {request_id})" if request_id else ""
        return Failure(
            category=category,
            message=f"{who} at {self.where}: {code}{redact(words, self.secrets) or 'no reason given'}{tail}",
            retryable=category in RETRYABLE if retryable is None else retryable,
            http_status=status,
            retry_after=retry_after,
            provider=self.provider,
            model=self.model,
            request_id=request_id,
            text=text,
            usage=usage,
        )

    def settle(self, reply: Reply) -> Reply | Failure:
        """The reply, or the failure that it is: given up, filtered, refused, or with a call that was malformed.

        Such an answer comes under a success status. A refusal is final: asking the same again costs the same again.
        """
        word = reply.finish_text.lower()
        if word in BROKEN_CALL:
            words = f"the model's tool call was malformed (`{reply.finish_text}`)"
            return self.failure("bad_response", words, retryable=True, request_id=reply.request_id, usage=reply.usage)
        if word in GIVEN_UP:
            words = f"the provider gave the answer up (finish reason `{reply.finish_text}`)"
            return self.failure("server_error", words, request_id=reply.request_id, text=reply.text, usage=reply.usage)
        match reply.finish:
            case "content_filter":
                words = f"the answer was withheld by the provider's content filter (`{reply.finish_text}`)"
            case "refusal":
                words = f"the model refused: {reply.text or 'it gave no reason'}"
            case _:
                return reply
        return self.failure("content_filter", words, request_id=reply.request_id, text=reply.text, usage=reply.usage)
