"""unsaid: keep the word that says done out of the live text, also where it comes in pieces.

What may be the beginning of the word waits; nothing else does. Other kinds of pieces pass as they are.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from agentspec.ports import Delta


class Unsaid:
    """A listener in front of another.

    >>> heard = []
    >>> listener = Unsaid("##DONE##", heard.append)
    >>> for piece in ("It is 4. ##DO", "NE##"):
    ...     listener(Delta(kind="text_delta", text=piece))
    >>> listener.end()
    >>> [delta.text for delta in heard]
    ['It is 4. ']
    """

    def __init__(self, word: str, listen: Callable[[Delta], None]) -> None:
        self._word = word
        self._listen = listen
        self._rest = ""

    def __call__(self, delta: Delta) -> None:
        if delta.kind == "restart":
            self._rest = ""
        if delta.kind != "text_delta":
            self._listen(delta)
            return
        text = (self._rest + delta.text).replace(self._word, "")
        end = len(text) - self._begun(text)
        self._rest = text[end:]
        if text[:end]:
            self._listen(replace(delta, text=text[:end]))

    def _begun(self, text: str) -> int:
        """How many characters at the end of a text may be the beginning of the word."""
        most = min(len(text), len(self._word) - 1)
        return next((length for length in range(most, 0, -1) if text.endswith(self._word[:length])), 0)

    def end(self) -> None:
        """The stream is over: what only looked like the beginning of the word is told."""
        rest, self._rest = self._rest, ""
        if rest:
            self._listen(Delta(kind="text_delta", text=rest))
