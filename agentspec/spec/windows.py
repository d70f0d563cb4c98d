"""windows: how much of a model's window a request may fill. Plain arithmetic, for the checker and for the kernel."""

from __future__ import annotations

from typing import Final

USUAL_OUTPUT: Final = 16_384  # tokens: the longest answer of a model that nobody has said more about
THRESHOLD: Final = 0.7  # shares of the window without the answer: from when compaction begins,
HARD: Final = 0.9  # and what no request passes


def reserved(window: float, answer: float | None) -> int:
    """The tokens of a window that are kept for an answer, which may be `answer` tokens long.

    >>> reserved(128_000, None), reserved(8_000, None), reserved(8_000, 1_000), reserved(8_000, 7_000)
    (16384, 2000, 1000, 4000)
    """
    return int(min(USUAL_OUTPUT, window // 4) if answer is None else min(answer, window // 2))


def bound(share: float, window: float | None, answer: float | None, written: float | None = None) -> int | None:
    """A share of what fits, in tokens, or what an author has written where that is lower; None where nobody knows.

    Up to 1 what is written is a share itself.

    >>> bound(THRESHOLD, 10_000, 2_000), bound(THRESHOLD, 10_000, 2_000, 0.5), bound(THRESHOLD, 10_000, 2_000, 9_000)
    (5600, 4000, 5600)
    """
    fits = None if window is None else window - reserved(window, answer)
    own = None if written is None else written if written > 1 else None if fits is None else written * fits
    bounds = [each for each in (own, None if fits is None else share * fits) if each is not None]
    return int(min(bounds)) if bounds else None
