"""strings: what a quoted string or a raw text of the DSL means.

Strings have JSON's escapes (RFC 8259, section 7); raw text has none, and loses its common indent.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentspec.syntax.dsl.report import Report
from agentspec.text.source import LINE_END

_ESCAPE = re.compile(r"\\u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\([\s\S])")
_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def unquote(text: str, start: int, report: Report) -> str:
    """The value of the string token `text`, which stands at `start`; wrong escapes are reported and kept as written."""
    inside = text[1:-1]
    if "\\" not in inside:
        return inside
    return _ESCAPE.sub(lambda match: _escape(match, start + 1, report), inside)


def _escape(match: re.Match[str], start: int, report: Report) -> str:
    high, low, code, simple = match.groups()
    at, end = start + match.start(), start + match.end()
    if high is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    if code is not None and not 0xD800 <= int(code, 16) <= 0xDFFF:
        return chr(int(code, 16))
    if code is not None:
        report.add("AS029", at, end, f"`{match[0]}` is half a character", help="such escapes come in pairs")
        return "\ufffd"
    if simple in _SIMPLE:
        return _SIMPLE[simple]
    fix = report.replace(f"write `\\\\{simple}`", at, end, f"\\\\{simple}")
    what = "`\\u` needs four hexadecimal digits" if simple == "u" else f"unknown escape `{match[0]}`"
    report.add("AS025", at, end, what, help="for a backslash write `\\\\`", fix=fix)
    return match[0]


class RawText(NamedTuple):
    """What a raw text means, and how many columns its lines lost."""

    value: str
    base_indent: int


def dedent(text: str, start: int, report: Report) -> RawText:
    """The value of the raw text token `text`, which stands at `start`.

    The text begins on the line after the opening quotes; the indent that its lines have in common, the line of the
    closing quotes included, is removed; closing quotes on a line of their own leave a final line end.
    """
    quotes = len(text) - len(text.lstrip('"')) if text.strip('"') else len(text) // 2
    lines = LINE_END.split(text[quotes : len(text) - quotes])
    if lines[0].strip(" \t"):
        report.add(
            "AS058",
            start,
            start + quotes + len(lines[0]),
            "raw text begins on the line after its opening quotes",
            help=f'move it to the next line, or write a string in `"…"`; the text here is `{lines[0].strip()}`',
        )
    else:
        del lines[0]
    if not lines:
        return RawText("", 0)
    closing = lines[-1].strip(" \t") == ""
    edges = [_indent(line) for line in lines if line.strip(" \t")]
    edges += [lines[-1]] if closing else []
    common = _common(edges)
    kept = [line[len(common) :] if line.startswith(common) else line.lstrip(" \t") for line in lines]
    if closing:
        kept[-1] = ""
    return RawText("\n".join(kept), len(common))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _common(indents: list[str]) -> str:
    shortest = min(indents, key=len, default="")
    while not all(indent.startswith(shortest) for indent in indents):
        shortest = shortest[:-1]
    return shortest
