"""notes: findings about single scalars: numbers that others read differently, characters that nobody sees."""

from __future__ import annotations

import re

from agentspec.syntax.offsets import span_in
from agentspec.syntax.tree import Scalar, Style
from agentspec.syntax.yaml.quotes import quote_fix
from agentspec.syntax.yaml.reading import Reading
from agentspec.text.diagnostic import Edit, Fix
from agentspec.text.source import Span
from agentspec.text.visible import BIDI, JOINERS, hidden_in


def note_leading_zero(reading: Reading, text: str, value: int, span: Span) -> None:
    """`012` is twelve here and ten to YAML 1.1."""
    fix = Fix(f"write `{value}`", (Edit(span, str(value)),), "equivalent")
    advice = "YAML 1.1 tools read an octal number; leave the zeros out"
    reading.report("AS017", f"`{text}` is the number {value}", span, help=advice, fix=fix)


def is_half_character(reading: Reading, node: Scalar) -> bool:
    """Report an escape of one half of a surrogate pair: strings are Unicode scalar values."""
    text = str(node.value)
    half = next((at for at, character in enumerate(text) if "\ud800" <= character <= "\udfff"), None)
    if half is None:
        return False
    place = span_in(node, half, half + 1)
    reading.report("AS029", f"`{place.text}` is half a character", place, help="such escapes come in pairs")
    return True


def check_windows_path(reading: Reading, span: Span) -> None:
    """`"C:\\temp"` holds a tab: the escapes of a double-quoted path are valid and not meant."""
    text = span.text
    found = re.search(r"(?<!\\)(?:\\\\)*(\\[0abtnvfre])", text)
    if found is None or not text[1].isalpha():
        return
    written = found.group(1)
    message = f"`{written}` in this path is a character of its own, not a backslash"
    advice = "use single quotes, or `/` in a path"
    reading.report("AS025", message, span.part(*found.span(1)), help=advice, fix=quote_fix(span, text[1:-1]))


def check_hidden(reading: Reading, text: str, span: Span, style: Style, *, is_key: bool = False) -> None:
    """Characters that nobody sees: an error in names, and a warning where they turn the reading direction."""
    hidden = hidden_in(text)
    if not hidden:
        return
    is_name = is_key or (style == "plain" and len(text.split()) == 1)
    suspects = (
        [each for each in hidden if is_key or each not in JOINERS]
        if is_name
        else [each for each in hidden if each in BIDI]
    )
    if not suspects:
        return
    offset = span.text.find(suspects[0])
    place = span.part(offset, offset + 1) if offset >= 0 else span
    number = f"U+{ord(suspects[0]):04X}"
    if is_name:
        fix = Fix("remove it", (Edit(place, ""),), "local") if offset >= 0 else None
        reading.report(
            "AS020", f"a name holds a character that nobody sees ({number})", place, help="remove it", fix=fix
        )
    else:
        advice = "what people read is not what the model reads; remove it, or write it as an escape in double quotes"
        reading.report("AS021", f"a text turns its reading direction ({number})", place, help=advice)
