"""counted: what providers count, against what was estimated: the ratio of the two, by route. Pure.

Usage lies, arrives late or never: a ratio that no tokenizer could have is not believed.
"""

from __future__ import annotations

from msgspec.structs import replace

from agentspec.core.record import Record

LEAST, MOST = 0.4, 4.0  # of what is estimated; no tokenizer counts fewer or more
DROPPED = 0.6  # the share of what was expected, below which a server has dropped the rest of what it was sent,
DROPPED_AT_FIRST = 0.45  # and the same where nothing is known of how it counts
WORTH_LOOKING = 1_000  # tokens: no window is smaller, and of no smaller request that is believed
PLAIN = 200.0  # tokens of a request that nobody counts as few by mistake
ROUTES = 16


class Counted(Record, frozen=True):
    """The ratio of counted to estimated tokens by route, and the highest that it ever was; the newest is the last.

    `estimated` is the newest request that was believed, and `dropped` how many tokens a server has read of one whose
    rest it has dropped without a word. Of routes that are `odd` that is not believed: they count far too few of a
    request that fits any window, such as only what no cache had.
    """

    ratios: tuple[tuple[str, float, float], ...] = ()
    estimated: float = 0.0
    dropped: int = 0
    odd: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """The ratio of the route that answered last; 1 before any has."""
        return self.ratios[-1][1] if self.ratios else 1.0

    def knows(self, route: str) -> bool:
        """Whether a provider's count was ever held against an estimate there."""
        return any(name == route for name, _, _ in self.ratios)

    def expected(self, estimate: float) -> int:
        """The tokens that a provider will count for a request of this estimate.

        >>> Counted().expected(100.0), Counted().after("openai:m", 100.0, 120).expected(200.0)
        (100, 240)
        """
        return round(estimate * self.ratio)

    def after(self, route: str, estimate: float, tokens: int) -> Counted:
        """What is known after a provider has counted `tokens` in a request of this estimate."""
        if estimate <= 0 or tokens <= 0:
            return self
        ratio = tokens / estimate
        highest = next((most for name, _, most in self.ratios if name == route), 0.0)
        least = DROPPED * highest if highest else DROPPED_AT_FIRST
        if ratio < least and route not in self.odd:
            if tokens < WORTH_LOOKING and estimate >= PLAIN:
                return replace(self, dropped=0, odd=(*self.odd, route)[-ROUTES:])
            if tokens >= WORTH_LOOKING and estimate >= max(WORTH_LOOKING, self.estimated):
                return replace(self, dropped=tokens)
        if not LEAST <= ratio <= MOST:
            return self
        kept = tuple(known for known in self.ratios if known[0] != route)
        ratios = (*kept, (route, ratio, max(ratio, highest)))
        return replace(self, ratios=ratios[-ROUTES:], estimated=estimate)
