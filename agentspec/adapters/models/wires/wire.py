"""wire: what one protocol of model providers has to know, and nothing of connections."""

from __future__ import annotations

from typing import Any, Protocol

from agentspec.adapters.models.wires.draft import Draft
from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.request_bytes import RequestBytes
from agentspec.ports import ModelRequest


class Reader(Protocol):
    """Reads one answer of its protocol into `draft`."""

    draft: Draft

    def add_event(self, name: bytes, event: Any) -> bool:
        """Take one decoded event of a stream; say whether anything real was in it. Raises `Complained`.

        The event that ends the stream sets `draft.is_done`.
        """
        ...

    def add_whole(self, body: Any) -> None:
        """Take one whole answer, and end. Raises `Unreadable` or `Complained`."""
        ...

    def end(self) -> None:
        """The body is over. Raises `Cut` or `Unreadable` where it brought no whole answer."""
        ...


class Wire(Protocol):
    """How requests are written and answers are read: one instance a run, since dialects are learnt and bytes are kept.

    `origin` names the server and the model: what only they understand is sent back to them and to no other. `written`
    holds the bytes of requests: the mark of the newest request, and the ids of its calls.
    """

    origin: str
    written: RequestBytes

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The bytes of a request. Raises `Unpaired` where its conversation is not whole."""
        ...

    def reader(self, draft: Draft) -> Reader:
        """Who reads one answer."""
        ...

    def adapt(self, refusal: Refusal) -> bool:
        """Learn the server's dialect from its complaint, once for each trait; whether trying again can help."""
        ...
