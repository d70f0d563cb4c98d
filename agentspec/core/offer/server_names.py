"""server_names: what a tool of a server is called in a run: `server__tool`, in the letters that every provider takes.

Two tools never get one name, and no name depends on anything but the two originals and those before it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from fnmatch import fnmatchcase
from typing import TypeVar

E = TypeVar("E")
LONGEST = 64
_FORBIDDEN = r"[^A-Za-z0-9_-]"
_MARK = 9  # characters of `_` and eight digits of a hash


def offered_name(server: str, tool: str, taken: Container[str] = ()) -> str:
    """The name of a server's tool; what had to be changed carries a hash of the original, so that none is merged.

    >>> offered_name("tickets", "create_issue")
    'tickets__create_issue'
    >>> offered_name("tickets", "create issue")
    'tickets__create_issue_7a9ce8e9'
    """
    whole = f"{server}__{tool}"
    plain = re.sub(_FORBIDDEN, "_", whole)
    if plain == whole and len(whole) <= LONGEST and whole not in taken:
        return whole
    import hashlib  # noqa: PLC0415 - a check reads names, and few are so long that they need a mark

    mark = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain[: LONGEST - _MARK]}_{mark[: _MARK - 1]}"


def effect_of(tool: str, effects: Mapping[str, E], default: E) -> E:
    """The effect that the spec gives a tool, by its name before any pattern.

    >>> effect_of("get_issue", {"get_*": "read"}, "write"), effect_of("close", {"get_*": "read"}, "write")
    ('read', 'write')
    """
    if tool in effects:
        return effects[tool]
    return next((effect for pattern, effect in effects.items() if fnmatchcase(tool, pattern)), default)


def is_chosen(tool: str, allow: tuple[str, ...] | None, deny: tuple[str, ...]) -> bool:
    """Whether `allow` and `deny` leave a tool; both hold names and patterns of the server's own names."""
    if any(fnmatchcase(tool, pattern) for pattern in deny):
        return False
    return allow is None or any(fnmatchcase(tool, pattern) for pattern in allow)
