"""longest: the longest answer that a request may ask for, as the least of what everybody says of it. One place.

An author says it (`max_output_tokens`), a turn (what is left in a pot), the catalogue, and a server in its complaints.
"""

from __future__ import annotations

import re
from typing import Any

LEAST = 1024  # tokens; where the window leaves less than that for an answer, it is the request that is too long
ABOUT = re.compile(r"max_(?:completion_|output_|new_)?tokens|max_?output_?tokens|max output tokens|num_predict")
SAID = (
    re.compile(r"max_tokens: \d+ > (\d+)"),  # Anthropic
    re.compile(r"(?:at most|up to|less than or equal to) `?(\d{2,7})\b"),  # OpenAI, Groq
    re.compile(r"\[\d+, ?(\d{2,7})\]"),  # DeepSeek, Alibaba: a range
    re.compile(r"to (\d{2,7}) \(exclusive\)"),  # Google
)
# What the window leaves: its size and the tokens of the request.
SUMS = (
    re.compile(r"exceed context limit: (?P<request>\d+) \+ \d+ > (?P<window>\d+)"),  # Anthropic
    re.compile(r"maximum context length is (?P<window>\d+).*request has (?P<request>\d+) input tokens"),  # vLLM
    re.compile(  # OpenAI, OpenRouter
        r"maximum context length is (?P<window>\d+) tokens.*\((?P<request>\d+) (?:in|of)\b"
        r".*\b[1-9]\d* (?:in|for|of) the (?:completion|output)"
    ),
)
WINDOW = re.compile(
    r"maximum context length is (\d{2,7})\b.*too large|too large.*maximum context length is (\d{2,7})\b"
)


class Longest:
    """What is known of the longest answer of one model: `usual` is what its author wrote, or its protocol wants."""

    def __init__(self, usual: Any = None) -> None:
        self.usual = usual
        self.told: int | None = None  # by the server

    def of(self, *bounds: Any) -> Any:
        """The least of all bounds; None where nobody says any.

        What an author wrote that is no number goes out as it is, and the server says what is wrong with it.

        >>> Longest(900).of(64, None), Longest("many").of(64), Longest().of(None)
        (64, 'many', None)
        """
        known = [bound for bound in (self.usual, self.told, *bounds) if bound is not None]
        odd = [bound for bound in known if not isinstance(bound, int)]
        return odd[0] if odd else min(known, default=None)

    def learn(self, words: str) -> bool:
        """Take in a complaint, in lower case, of too long an answer; whether the next request asks for a shorter one.

        >>> longest = Longest(99_999)
        >>> longest.learn("max_tokens: 99999 > 64000"), longest.of(), longest.learn("max_tokens: 99999 > 64000")
        (True, 64000, False)
        """
        said = _left_by_window(words) or _said(words)
        if said is None or (self.told is not None and said >= self.told):
            return False
        self.told = said
        return True


def _left_by_window(words: str) -> int | None:
    for pattern in SUMS:
        found = pattern.search(words)
        if found is not None:
            left = int(found["window"]) - int(found["request"])
            # The next request is longer: what would just fit now would have to be told again every time.
            return min(left, int(found["window"]) // 2) if left >= LEAST else None
    return None


def _said(words: str) -> int | None:
    if ABOUT.search(words) is None:
        return None
    for pattern in SAID:
        found = pattern.search(words)
        if found is not None:
            return int(found[1]) - ("exclusive" in found[0])
    window = WINDOW.search(words)
    # A window holds the request as well: half of it is surely enough for an answer.
    return None if window is None else int(window[1]) // 2
