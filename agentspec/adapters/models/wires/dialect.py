"""dialect: what is learnt of a server from its refusals, whatever its protocol. Each trait once.

A refusal from which something is learnt is worth asking again: the next request is another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentspec.adapters.models.wires.failures import Refusal
from agentspec.adapters.models.wires.pictures import REFUSED as NO_PICTURES
from agentspec.adapters.models.wires.plain_schema import is_refused, refused_tool
from agentspec.adapters.models.wires.thinking import NOT_TAKEN_BACK
from agentspec.adapters.models.wires.thinking import REFUSED as NO_THINKING
from agentspec.adapters.models.wires.wire import Wire

ANEW = " anew"  # who a server is that takes nothing back of what it said before: to that one it never goes again


class Dialect:
    """The wires to one model: the one in use, and one that does not ask it to think, for a server that refuses that."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self.wire, *self._plain = wires

    def adapt(self, refusal: Refusal) -> bool:
        """Learn from a refusal; whether trying again can help."""
        if self.wire.adapt(refusal):
            return True
        words = refusal.words.lower() if refusal.category == "invalid_request" else ""
        return any(learn(words) for learn in (self._schemas, self._pictures, self._own_answers, self._thinking))

    def _schemas(self, words: str) -> bool:
        """The named tool is asked for in plain words from then on; all are, where that was not enough."""
        written = self.wire.written
        if not is_refused(words) or written.has_only_plain:
            return False
        name = None if written.plain else refused_tool(words, written.offered)
        self._each(lambda wire: wire.written.ask_plainly(name))
        return True

    def _pictures(self, words: str) -> bool:
        written = self.wire.written
        if not (written.shows and written.has_shown) or not NO_PICTURES.search(words):
            return False
        self._each(lambda wire: wire.written.hide_pictures())
        return True

    def _own_answers(self, words: str) -> bool:
        if not NOT_TAKEN_BACK.search(words) or self.wire.origin.endswith(ANEW):
            return False
        self._each(_begin_anew)
        return True

    def _thinking(self, words: str) -> bool:
        if not self._plain or not NO_THINKING.search(words):
            return False
        self.wire = self._plain.pop()
        return True

    def _each(self, change: Callable[[Wire], None]) -> None:
        for wire in (self.wire, *self._plain):
            change(wire)
            wire.written.forget()


def _begin_anew(wire: Wire) -> None:
    wire.origin += ANEW
