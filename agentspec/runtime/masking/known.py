"""known: where the secrets that a run knows are in a text, and the text without them.

In the forms that text takes on its way (JSON escapes, percent-encoding), those that one step of a program makes of it
(`masking.forms`), and with noise inside. It never guesses: what is no known value stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from agentspec.runtime.masking.forms import begins_at, encoded_forms, forms_of
from agentspec.runtime.masking.noise import places_in, tail_of, without_noise
from agentspec.runtime.masking.spans import escaped_spans, merged, replaced, spans_of
from agentspec.text.blanks import HIDDEN

SHORTEST = 8  # a shorter value is no secret, and would be found in ordinary words
BEGINNING = 6  # characters of a secret that are hidden where a text was cut behind them
CUT = "\u2026"


class KnownSecrets:
    """Values that must show nowhere: `plain` as text has them, `forms` also encoded, `needles` without noise."""

    def __init__(self, secrets: Iterable[str]) -> None:
        long = [secret for secret in secrets if len(secret) >= SHORTEST]
        self.plain = _longest_first(form for secret in long for form in forms_of(secret))
        self.forms = _longest_first((*self.plain, *(form for secret in long for form in encoded_forms(secret))))
        self.needles = tuple(dict.fromkeys(map(without_noise, self.forms)))
        self._has_spaces = any(" " in needle for needle in self.needles)

    @cached_property
    def _beginnings(self) -> tuple[frozenset[str], frozenset[str], int]:
        """Everything that a secret may begin with, the first characters alone, and the length of the longest."""
        beginnings = frozenset(form[:size] for form in self.needles for size in range(1, len(form)))
        return beginnings, frozenset(form[0] for form in self.needles), max(map(len, self.needles))

    def left_out(self, text: str) -> str:
        """The text without them."""
        if not self.forms or len(text) < SHORTEST:
            return text
        spans = self._spans(text)
        return replaced(text, spans, HIDDEN) if spans else text

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where secrets are in a text, whole, in their order. What is not there is told without any pattern."""
        spans = [span for form in self.forms if form in text for span in spans_of(text, form)]
        if "\\" in text:
            spans += escaped_spans(text, self.plain)
        quiet = without_noise(text)
        needles = [needle for needle in self.needles if needle in quiet] if quiet is not text else []
        if needles:
            places = places_in(text)
            spans += [places.span(*span) for needle in needles for span in spans_of(quiet, needle)]
        return merged(spans)

    def beginnings_left_out(self, text: str) -> str:
        """A text that may have been cut, without the beginning of one before a cut."""
        if not self.forms or not any(secret[:BEGINNING] in text for secret in self.plain):
            return text
        return CUT.join(self._without_beginning(part) for part in text.split(CUT))

    def _without_beginning(self, text: str) -> str:
        longest = max(
            (
                size
                for secret in self.plain
                for size in range(BEGINNING, min(len(secret), len(text) + 1))
                if text.endswith(secret[:size])
            ),
            default=0,
        )
        return text[: len(text) - longest] + HIDDEN if longest else text

    def settled(self, text: str) -> int:
        """How much of a text that goes on can be told now: the rest may be the beginning of one."""
        if not self.forms:
            return len(text)
        end = min(self._settled_quiet(text), self._settled_escaped(text))
        return next((close for start, close in self._spans(text) if start < end < close), end)

    def _settled_escaped(self, text: str) -> int:
        """The same for secrets that are escaped as in JSON."""
        if "\\" not in text:
            return len(text)
        window = max(map(len, self.plain)) * 8
        starts = range(max(0, len(text) - window), len(text))
        return next((at for at in starts if any(begins_at(text, at, secret) for secret in self.plain)), len(text))

    def _settled_quiet(self, text: str) -> int:
        """The same for secrets as they are or encoded, with noise inside or without."""
        beginnings, firsts, longest = self._beginnings
        tail = tail_of(text, longest)
        quiet = tail.quiet
        first = max(0, len(quiet) - longest)
        if not self._has_spaces:  # then a secret begins in the last word
            first = max(first, quiet.rfind(" ") + 1)
        for at in range(first, len(quiet)):
            if quiet[at] in firsts and quiet[at:] in beginnings:
                return tail.before + tail.places.place(at)
        return tail.before + tail.settled


def _longest_first(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(forms), key=len, reverse=True))
