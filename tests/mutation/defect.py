"""defect: one mistake in a valid spec, and what the checker owes to it. Texts and expectations; runs nothing."""

from __future__ import annotations

import random
import string
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from agentspec.text.source import Span
from agentspec.text.suggest import distance
from tests.mutation.corpus import Spec
from tests.mutation.sites import Sites, sites_of

Group = Literal["structure", "names", "values", "expressions", "text"]
Make = Callable[[Sites, random.Random], Iterator["Change"]]


class Change(NamedTuple):
    """A text with one mistake in it, the codes of which one is due, the place, and what the finding has to offer.

    `word` is the word that the help names first and that the fix writes; `help` is a part of the help. `mends` is
    true where the fix gives the meaning of the valid spec back.
    """

    text: str
    codes: tuple[str, ...]
    start: int
    end: int
    word: str | None = None
    help: str = ""
    mends: bool = False
    suggests: bool | None = None  # whether a word has to be suggested at all; None where it does not matter


class Kind(NamedTuple):
    """A class of mistakes."""

    name: str
    group: Group
    make: Make
    is_in: str = "yaml dsl"


class Defect(NamedTuple):
    spec: Spec
    kind: Kind
    change: Change


def defects(specs: Iterable[Spec], kinds: Iterable[Kind], most: int, one_in: int = 1) -> Iterator[Defect]:
    """At most so many mistakes of each kind in each spec, or in one of several: chosen by the text of the spec alone."""
    kinds = tuple(kinds)
    for spec in specs:
        sites = sites_of(spec)
        for kind in kinds:
            seed = zlib.crc32(f"{kind.name}\n{spec.text}".encode())
            if ("yaml" if spec.is_yaml else "dsl") in kind.is_in and seed % one_in == 0:
                chance = random.Random(seed)
                made = list(kind.make(sites, chance))
                for change in chance.sample(made, min(most, len(made))):
                    yield Defect(spec, kind, change)


def put(text: str, span: Span | tuple[int, int], new: str) -> str:
    """The text with something else in place of a span."""
    start, end = (span.start, span.end) if isinstance(span, Span) else span
    return text[:start] + new + text[end:]


def edited(text: str, *edits: tuple[int, int, str]) -> tuple[str, Callable[[int], int]]:
    """The text with several changes, and where each place of the old text stands in it: behind what was put there."""
    for start, end, new in sorted(edits, reverse=True):
        text = put(text, (start, end), new)

    def moved(offset: int) -> int:
        return offset + sum(len(new) - (end - start) for start, end, new in edits if start <= offset and end <= offset)

    return text, moved


def at(text: str, span: Span, new: str, *codes: str, **more: object) -> Change:
    """A mistake whose finding stands on what was written in place of a span."""
    return Change(put(text, span, new), codes, span.start, span.start + len(new), **more)  # type: ignore[arg-type]


def slip(word: str, edits: int, chance: random.Random) -> str:
    """A word as somebody types it who is in a hurry: letters lost, doubled, swapped or hit beside."""
    for _ in range(50):
        slipped = word
        for _ in range(edits):
            slipped = _slip(slipped, chance)
        is_name = slipped[:1].isalpha() and slipped[-1:].isalnum()
        if distance(word.lower(), slipped.lower()) == edits and is_name:
            return slipped
    return word + "x"


def _slip(word: str, chance: random.Random) -> str:
    if len(word) < 2:
        return word
    i = chance.randrange(1, len(word))
    letter = chance.choice(string.ascii_lowercase)
    match chance.randrange(4):
        case 0:
            return word[:i] + word[i + 1 :]
        case 1:
            return word[:i] + letter + word[i:]
        case 2:
            return word[:i] + letter + word[i + 1 :]
        case _:
            return word[: i - 1] + word[i : i + 1] + word[i - 1 : i] + word[i + 1 :]


def nonsense(chance: random.Random) -> str:
    """A word that means nothing and is near to none."""
    return "".join(chance.choice("bcdfghjklmnpqrstvwxz") for _ in range(chance.randint(6, 11)))
