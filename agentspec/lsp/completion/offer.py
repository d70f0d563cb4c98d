"""offer: something that could be written where the cursor is."""

from __future__ import annotations

from typing import Literal, NamedTuple

from agentspec.lsp.completion.cursor import MARK, Cursor
from agentspec.lsp.completion.spelled import value_text

OfferKind = Literal["key", "word", "tool", "name", "field", "function"]


class Offer(NamedTuple):
    """Something that could be written: what is shown, what is written, and from where to where.

    `$0` in `text` is where the cursor goes then. `rank` sorts: what is more likely has less.
    """

    label: str
    kind: OfferKind
    text: str
    start: int
    end: int
    detail: str = ""
    about: str = ""
    rank: int = 0


def whole(cursor: Cursor, name: str, kind: OfferKind, *, behind: str = "", detail: str = "") -> Offer:
    """A name instead of the whole key or value that the cursor stands in; `behind` follows a key."""
    start, end = bounds(cursor)
    text = f"{name}{behind}" if behind else value_text(cursor, name)
    return Offer(name, kind, text, start, end, detail)


def bounds(cursor: Cursor) -> tuple[int, int]:
    """The whole key or value that the cursor stands in, as far as it is on the cursor's line as it is meant."""
    lead, trail = cursor.lead, cursor.trail
    text = cursor.part.sheet.source.text
    is_plain = text[cursor.start - len(lead) : cursor.start] == lead and "\n" not in lead
    behind = cursor.start + len(MARK)
    is_whole = bool(trail) and text[behind : behind + len(trail)] == trail and "\n" not in trail
    return cursor.start - len(lead) if is_plain else cursor.start, cursor.end + (len(trail) if is_whole else 0)
