"""statements: what of SQL an action may say: words that would break its transaction, and the names that it binds.

The database reads the statements itself; this knows only what is refused before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

IDENTITY = ("identity_user", "identity_tenant")  # bound in every statement: who the run acts for
# What would end the transaction, leave the database, or change how it works.
_FOREIGN = (
    r"(?is)^(?:\s|--[^\n]*\n|/\*.*?\*/)*"
    r"(begin|start|commit|end|rollback|abort|savepoint|release|set|reset|pragma|attach|detach|vacuum|copy|prepare|do)\b"
)
_BOUND = r"(?<![:\w\\]):(\w+)(?!:)"  # as SQLAlchemy's `text` reads it


def foreign_word(statement: str) -> str | None:
    """The word with which a statement would break out of its transaction; None where it has none.

    >>> foreign_word("/* all */ commit"), foreign_word("update t set a = :a")
    ('COMMIT', None)
    """
    found = re.match(_FOREIGN, statement)
    return None if found is None else found[1].upper()


def bound_names(statement: str) -> Iterator[tuple[str, int, int]]:
    """The names that a statement binds, each with its place.

    >>> [name for name, _, _ in bound_names("update t set a = :a where b = ':c'::text")]
    ['a', 'c']
    """
    for found in re.finditer(_BOUND, statement):
        yield found[1], found.start(1), found.end(1)
