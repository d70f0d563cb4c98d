"""cursor: where a page of rows ended, as a word that a model hands back. Read with suspicion: it may be anything.

It is a place in an order, no right: rows that are not visible stay so whatever stands in it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from agentspec.adapters.tables.cells import Misfit

LONGEST = 8192
WAY_OUT = "call again without `cursor`, or with the one of the last answer and the same filters and order"


def fingerprint(name: str, order: str, filters: dict[str, Any]) -> str:
    """What the pages of one search share."""
    asked = json.dumps([name, order, filters], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def write_cursor(search: str, place: list[Any]) -> str:
    """The word for the place behind a row.

    >>> read_cursor(write_cursor("f00", ["ada", 3]), "f00", 2)
    ['ada', 3]
    """
    return base64.urlsafe_b64encode(json.dumps([search, *place], separators=(",", ":")).encode()).decode().rstrip("=")


def read_cursor(word: str, search: str, size: int) -> list[Any]:
    """The place that a word tells. Raises `Misfit` for a word of another search, or of none."""
    if len(word) > LONGEST:
        raise Misfit(f"`cursor` is none that was given out; {WAY_OUT}")
    try:
        encoded = word.encode("ascii")
        place = json.loads(base64.b64decode(encoded + b"=" * (-len(encoded) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError, binascii.Error):
        place = None
    if not isinstance(place, list) or len(place) != size + 1:
        raise Misfit(f"`cursor` is none that was given out; {WAY_OUT}")
    if place[0] != search:
        raise Misfit(f"`cursor` belongs to another search; {WAY_OUT}")
    return place[1:]
