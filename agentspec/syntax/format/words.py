"""words: keys, strings, numbers and expressions as the DSL writes them. What needs quotes, the reader's rules say."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from agentspec.syntax.dsl.cut import Cut, cut_line, cut_rule
from agentspec.syntax.dsl.expression import Trouble, parse_expression
from agentspec.syntax.dsl.lalr import load
from agentspec.syntax.format.quoting import double_quoted, is_writable
from agentspec.syntax.format.scalars import number_text
from agentspec.syntax.tree import Entry, Plain, Scalar
from agentspec.syntax.yaml.entries import EXPRESSION_KEYS

CONSTANTS = frozenset(("true", "false", "null"))


@cache
def _pattern(token: str) -> re.Pattern[str]:
    return re.compile(load("document").tokens[token][1])


def is_word(text: str) -> bool:
    """Whether a text is a word that needs no quotes in any place."""
    return text not in CONSTANTS and text != "when" and _pattern("WORD").fullmatch(text) is not None


def key(name: str) -> str:
    """A key, in quotes if need be."""
    return name if is_word(name) or name == "when" else string(name)


def string(text: str) -> str:
    """A text in quotes."""
    return double_quoted(text, wide=False)


def scalar(value: Plain) -> str:
    """A value on one line."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            is_bare = is_word(value) or _pattern("QUANTITY").fullmatch(value)
            return value if is_bare else string(value)
    return number_text(value)


def text_block(text: str, indent: int) -> list[str] | None:
    """A text of several lines as raw text between quotes, opening quotes first; None where it has to be a string."""
    lines = text.split("\n")
    is_closed_apart = lines[-1] == ""
    inner = lines[:-1] if is_closed_apart else lines
    if len(lines) == 1 or not is_writable(text) or any(line and not line.strip(" \t") for line in inner):
        return None
    if not is_closed_apart and (text.endswith('"') or all(line[:1] in ("", " ", "\t") for line in inner)):
        return None
    quotes = '"' * max(3, 1 + max(map(len, re.findall('"+', text)), default=0))
    blanks = " " * indent
    written = [blanks + line if line else "" for line in inner]
    if is_closed_apart:
        return [quotes, *written, blanks + quotes]
    return [quotes, *written[:-1], written[-1] + quotes]


def is_expression(entry: Entry) -> bool:
    """Whether an entry is written `key = EXPR`."""
    value = entry.value
    if entry.name not in EXPRESSION_KEYS or entry.operation != "set" or not isinstance(value, Scalar):
        return False
    return isinstance(value.value, str) and not is_word(value.value) and ends_with_its_line(value.value)


def ends_with_its_line(text: str) -> bool:
    """Whether the text behind a `=` is read back as it is."""
    return _is_expression(text) and cut_line(f"{text}\n}}", 0, _quoted()) == Cut(0, len(text), [])


def ends_before_an_arrow(text: str) -> bool:
    """Whether the text behind a `when` is read back as it is."""
    return text[:1] != "{" and _is_expression(text) and cut_rule(f"{text} => x", 0, _quoted()) == Cut(0, len(text), [])


def _quoted() -> str:
    return load("document").tokens["QUOTED"][1]


@lru_cache(maxsize=1024)  # a file is written once and looked at several times on the way
def _is_expression(text: str) -> bool:
    return is_writable(text) and not isinstance(parse_expression(text), Trouble)
