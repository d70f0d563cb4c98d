"""bare: what stands without quotes where it needs some, `when: a > 3`, and types of other languages, `list[string]`.

It finds the place; what is said of it, and how reading goes on, is asked elsewhere.
"""

from __future__ import annotations

import re
from typing import Final

from agentspec.syntax.dsl.cut import cut_line
from agentspec.syntax.dsl.expression import longest_expression

OPERATOR: Final = re.compile(r"[(\[]|\s*(?:[<>=!]=|=>|[<>+*/%?]|-\s|&&|\|\||in\b)")
"""What shows behind a word that it is the first of an expression."""
_QUOTED: Final = r""""(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'"""
_FIRST: Final = re.compile(rf"[!(\-]?[!(]*(?:[^\W\d][\w.]*|[0-9][0-9.]*|{_QUOTED})?")


def bare_expression(text: str, at: int, quoted: str) -> tuple[int, int] | None:
    """Where an expression stands that no value of the document could be; None for all that one can.

    >>> bare_expression('when: message.role == "user", drop: true', 5, r'"[^"]*"')
    (6, 28)
    >>> bare_expression("when: completion.vetoed", 5, r'"[^"]*"') is None
    True
    """
    cut = cut_line(text, at, quoted)
    first = _FIRST.match(text, cut.start, cut.end)
    if first is None or not first[0]:
        return None
    if first[0][0] not in "!(" and OPERATOR.match(text, first.end(), cut.end) is None:
        return None
    length = longest_expression(text[cut.start : cut.end]) or 0
    return (cut.start, cut.start + length) if length > len(first[0]) else None


_INNER: Final = r"\s*[^\W\d][\w, ]*[\[\]?]*"
_FOREIGN_TYPE: Final = re.compile(rf"\s*([^\W\d]\w*(?:\[{_INNER}\]|<{_INNER}>|(?:\[\])?[ \t]*\|[ \t]*(?:null|None)\b))")


def foreign_type(text: str, at: int) -> tuple[int, int] | None:
    """Where a type stands as other languages write it: with another in brackets, or beside `null`; else None.

    >>> [foreign_type(text, 2) for text in ("a: list[string] b", "a: string | null", "a: string[]")]
    [(3, 15), (3, 16), None]
    """
    found = _FOREIGN_TYPE.match(text, at)
    return None if found is None else found.span(1)
