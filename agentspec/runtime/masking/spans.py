"""spans: where forms of a secret stand in a text, and the text with other words there. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeVar

from agentspec.runtime.masking.forms import bare, escaped_pattern

Some = TypeVar("Some", str, bytes)


def spans_of(text: Some, form: Some) -> Iterator[tuple[int, int]]:
    """Where a form stands in a text."""
    at = text.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = text.find(form, at + 1)


def escaped_spans(text: str, secrets: Iterable[str], plain: Callable[[str], str] = str) -> list[tuple[int, int]]:
    """Where secrets stand in a text, escaped as in JSON. A pattern is slow, and made for those that are there."""
    seen = bare(text, plain)
    found = [secret for secret in secrets if bare("".join(map(plain, secret))) in seen]
    return [each.span() for each in re.finditer(escaped_pattern(found, plain), text)] if found else []


def latin(raw: bytes) -> str:
    """One character a byte, so that places are the same."""
    return raw.decode("latin-1")


def as_latin(character: str) -> str:
    return latin(character.encode("utf-8", "surrogatepass"))


def apart(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """One after the other: a text in UTF-16 reads as the other UTF-16 too, one byte further on."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """In order, those that overlap as one."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def replaced(text: str, spans: list[tuple[int, int]], instead: str) -> str:
    """The text with other words in these places."""
    kept = [text[before[1] : after[0]] for before, after in pairwise([(0, 0), *spans, (len(text), 0)])]
    return instead.join(kept)
