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
_FIRST: Final = re.compile(r"""[!(\-]?[!(]*(?:[^\W\d][\w.]*|[0-9][0-9.]*|"[^"\r\n]*"|'[^'\r\n]*')?""")


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


_FOREIGN_TYPE: Final = re.compile(r"\s*([^\W\d]\w*(?:\[\s*[^\W\d][\w, ]*[\[\]?]*\]|<\s*[^\W\d][\w, ]*[\[\]?]*>))")


def foreign_type(text: str, at: int) -> tuple[int, int] | None:
    """Where a type stands as other languages write it, a name with another in brackets; None for what is none.

    >>> foreign_type("a: list[string] b", 2), foreign_type("a: string[]", 2)
    ((3, 15), None)
    """
    found = _FOREIGN_TYPE.match(text, at)
    return None if found is None else found.span(1)
