"""scalars: single values as YAML writes them: without quotes where every reader takes them for the same."""

from __future__ import annotations

import re

from agentspec.syntax.format.quoting import double_quoted, is_writable, needs_escapes
from agentspec.syntax.limits import MAX_DIGITS
from agentspec.syntax.tree import Scalar
from agentspec.syntax.yaml.scalars import is_text

# Words, dates, times and numbers of YAML 1.1, which other tools still read so.
_FORMER = re.compile(
    r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|~|=|<<|[-+]?\.[0-9_].*|[-+]?0[box][0-9a-fA-F_]+"
    r"|[-+]?[0-9][0-9_,]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*"
)
_PLAIN = re.compile(r"(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|-(?=[^\s\-,\[\]{}#]))[^\r\n\t]*")
_ENDS = re.compile(r":(?=\s|\Z)|\s#|\s\Z|\A\.\.\.")
_SIGNS = re.compile(r"[,\[\]{}]")


def scalar(node: Scalar, *, in_flow: bool) -> str:
    """A scalar on one line; an alias as it stands."""
    if node.anchor is not None:
        return str(node.value)
    match node.value:
        case None:
            return "null"
        case bool(value):
            return "true" if value else "false"
        case str(text):
            return string(text, in_flow=in_flow)
        case number:
            return number_text(number)


def number_text(number: float) -> str:
    """A number as YAML, JSON and the DSL read it; an integer of more digits than a file may have is hexadecimal."""
    if isinstance(number, float):
        mantissa, exponent, power = repr(number).partition("e")
        return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"
    digits = str(number)
    return digits if len(digits) <= MAX_DIGITS else hex(number)


def key(name: str, *, appends: bool = False) -> str:
    """A key, in quotes where its colon would not be the first one, or where its `+` is its own.

    The key of an append has none: YAML has no form for one that needs them.
    """
    if appends:
        return f"+{name}"
    is_odd = ":" in name or name[0] == "+"
    return _quoted(name) if is_odd else string(name, in_flow=True)


def string(text: str, *, in_flow: bool) -> str:
    """A string without quotes, or in those that need no escape."""
    if _PLAIN.fullmatch(text) and is_text(text) and not needs_escapes(text):
        is_cut = _ENDS.search(text) or _FORMER.fullmatch(text) or (in_flow and _SIGNS.search(text))
        return _quoted(text) if is_cut else text
    return _quoted(text)


def _quoted(text: str) -> str:
    if not needs_escapes(text) and ('"' in text or "\\" in text):
        return "'" + text.replace("'", "''") + "'"
    return double_quoted(text, wide=True)


def is_block(text: str) -> bool:
    """Whether a text can stand below its key line by line and lose nothing, whoever edits the file."""
    lines = text.removesuffix("\n").split("\n")
    is_whole = bool(lines[-1]) and lines[0][:1] not in ("", " ", "\t")
    return "\n" in text and is_whole and is_writable(text) and all(not line or line.strip(" \t") for line in lines)


def is_foldable(node: Scalar) -> bool:
    """Whether a text on one line can be written over several, to be joined by blanks again."""
    text = node.value
    if not isinstance(text, str) or node.anchor is not None or needs_escapes(text) or not is_writable(text):
        return False
    return " " in text and text == " ".join(text.split())


def folded(text: str, width: int) -> list[str]:
    """The lines of a text, broken at blanks."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
