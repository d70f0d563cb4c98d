"""tally: whether a text holds more values than one may, told by its signs before any value is made.

It only counts what certainly is a value in a text that can be read; the exact count is kept while values are made.
"""

from __future__ import annotations

import re

from agentspec.syntax.limits import MAX_DEPTH, MAX_NODES

# A text is read in one sweep: what may hold signs of its own is passed over, an expression with its line.
SIGNS = (
    r'(?P<text>"{3,})|"(?:[^"\\\r\n]|\\.)*"?|#[^\r\n]*|=(?![=>])[^\r\n]*|(?P<when>\bwhen\b(?![ \t]*[:{=])[^\r\n]*?=>)'
    r"|(?P<sign>[\[\]{}():,])"
)
OF_A_RULE = 3  # the rule, its condition and its verb
CLOSES = {"]": "[", "}": "{", ")": "("}


def place_of_too_many(text: str, most: int = MAX_NODES) -> int | None:
    """Where the first value stands that is one too many, or None where there may be none such.

    >>> place_of_too_many("agent a { x-a: [1, 2, 3] }") is None
    True
    """
    if len(text) < 2 * most:  # each value takes a sign and what it separates
        return None
    count, at = 0, 0
    stack: list[str] = []
    scan = re.compile(SIGNS).search
    while (match := scan(text, at)) is not None:
        at = match.end()
        if match["text"]:
            end = text.find(match["text"], at)
            at = len(text) if end < 0 else end + len(match["text"])
        elif match["when"]:
            count += OF_A_RULE
        elif match["sign"]:
            count += _weight(match["sign"], stack, text, at)
        elif match[0][0] == "=":
            count += 1
        if count > most:
            return match.start()
        if len(stack) > MAX_DEPTH:
            return None  # too deep, which is the better word for it
    return None


def _weight(sign: str, stack: list[str], text: str, at: int) -> int:
    """How many values a sign stands for: `:` an entry, `,` in a list an item, `[` its first item."""
    match sign:
        case ":":
            return 1
        case ",":
            return int(bool(stack) and stack[-1] == "[")
        case "[":
            stack.append(sign)
            return int(text[at : at + 1] != "]")
        case "{" | "(":
            stack.append(sign)
            before = text[max(0, at - 3) : at - 1].rstrip()[-1:]
            return int(before.isalnum() or before in ("_", '"'))  # `key {`, `tool t(`
        case _ if stack and stack[-1] == CLOSES[sign]:
            stack.pop()
    return 0
