"""deltas: pieces of a reply while it streams, masked before anybody hears them.

It decides nothing of what is a secret: the mask says how much of a text is safe to tell.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from agentspec.ports import Delta
from agentspec.runtime.masking.mask import Mask


class MaskedDeltas:
    """Pieces of a stream, masked: what may be the beginning of a secret is held back until it is told from one."""

    def __init__(self, mask: Mask, listen: Callable[[Delta], None]) -> None:
        self._mask = mask
        self._listen = listen
        self._rest: dict[tuple[str, int], Delta] = {}

    def __call__(self, delta: Delta) -> None:
        place = (delta.kind, delta.index)
        before = self._rest.pop(place, None)
        text = (before.text if before else "") + delta.text
        name = self._mask.name(delta.name)
        end = self._mask.settled(text)
        if end < len(text):
            self._rest[place] = replace(delta, text=text[end:], name="")
        if end or name or not text:
            self._listen(replace(delta, text=self._mask.text(text[:end]), name=name))

    def end(self) -> None:
        """The stream is over, and what was held back can be told now."""
        for delta in self._rest.values():
            self._listen(replace(delta, text=self._mask.text(delta.text)))
        self._rest.clear()
