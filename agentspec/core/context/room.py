"""room: the tokens that a request may have: the window of the model, less the answer, and when compaction begins. Pure.

What an author writes only ever lowers the bounds.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from agentspec.core.record import Record
from agentspec.spec.routes import routes_of
from agentspec.spec.settings import Settings
from agentspec.spec.windows import HARD, THRESHOLD, bound, reserved

NUMBER = r"(\d[\d,]{2,})"
# How servers name the window when they refuse a request, the plainer forms first.
TOLD = (
    re.compile(rf"\+ ?\d+ > {NUMBER}"),  # Anthropic, of input and `max_tokens`
    re.compile(rf"> ?{NUMBER} max"),  # Anthropic
    re.compile(rf"<= ?{NUMBER}"),  # Hugging Face's server
    re.compile(rf"\[\d, ?{NUMBER}\]"),  # Alibaba
    re.compile(rf"(?:maximum|available|limit|length|cannot exceed)(?:(?! by )\D){{0,40}}?(?!2013\)){NUMBER}"),
)


class Room(Record, frozen=True):
    """What fits. `window` is None where nobody knows it; then only an author's own threshold begins a compaction.

    `answer` is the longest answer that the author allows, `threshold` and `target` as they are written: up to 1 a share
    of what fits, above 1 tokens. A window that `is_learned` may be wrong, since servers say strange things: requests
    are made shorter for it, and none is held back.
    """

    window: int | None = None
    answer: int | None = None
    threshold: float | None = None
    target: float | None = None
    is_learned: bool = False

    @property
    def reserved(self) -> int:
        """The tokens that are kept for the answer."""
        return reserved(self.window or 0, self.answer)

    @property
    def begins(self) -> int | None:
        """From how many tokens on a compaction is due.

        >>> Room(10_000, answer=2_000).begins, Room(10_000, answer=2_000, threshold=3_000).begins
        (5600, 3000)
        """
        return bound(THRESHOLD, self.window, self.answer, self.threshold)

    @property
    def hard(self) -> int | None:
        """The tokens above which only the newest turn is shown."""
        return bound(HARD, self.window, self.answer)

    @property
    def minds(self) -> int | None:
        """From how many tokens on a request is looked at: a compaction may be due, or its answer be too long for it."""
        begins, window = self.begins, self.window
        return begins if begins is None or window is None or self.answer is None else min(begins, window - self.answer)

    def answer_beside(self, request: int, most: int | None) -> int | None:
        """The longest answer that fits beside a request, where one of `most` tokens would not.

        >>> Room(1_000, answer=900).answer_beside(300, None), Room(1_000, answer=100).answer_beside(300, None)
        (700, None)
        """
        longest = self.answer if most is None else most
        if self.window is None or self.is_learned or longest is None or request + longest <= self.window:
            return None
        return max(1, self.window - request)

    @property
    def aim(self) -> int | None:
        """Down to how many tokens a compaction goes where the author has said it."""
        return None if self.target is None else bound(THRESHOLD, self.window, self.answer, self.target)

    def within(self, window: int | None) -> Room:
        """The room in a window that turned out to be smaller than it was said to be."""
        if window is None or (self.window is not None and window >= self.window):
            return self
        return replace(self, window=window, is_learned=True)


def rooms_of(settings: Settings) -> tuple[Room, ...]:
    """The room that a spec leaves the requests of each route; windows of known models are written down before a run.

    >>> (room,) = rooms_of(Settings({"model": {"context_window": 8_000, "max_output_tokens": 500}}))
    >>> room.window, room.reserved
    (8000, 500)
    """
    given: Any = settings.get("context.compaction")
    own = Settings(given if isinstance(given, dict) else {})
    threshold, target = own.number("threshold"), own.number("target")
    return tuple(
        Room(route.model.get("context_window"), route.model.get("max_output_tokens"), threshold, target)
        for route in routes_of(settings.get("model"))
    )


def told_window(words: str, expected: int) -> int | None:
    """The window that a provider names when it refuses a request of about so many tokens; None where it names none.

    >>> told_window("This model's maximum context length is 8192 tokens. However, you requested 9,107 tokens", 9_000)
    8192
    >>> told_window("prompt is too long: 213462 tokens > 200000 maximum", 210_000)
    200000
    """
    for pattern in TOLD:
        for found in pattern.finditer(words.lower()):
            window = int(found[1].replace(",", ""))
            if 0 < window < 2 * expected:
                return window
    return None
