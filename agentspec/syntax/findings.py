"""findings: the codes of reading a file (AS001 to AS049), each with its one severity.

Sentences are ours: no word of a parser library ever reaches an author.
"""

from __future__ import annotations

from agentspec.text.diagnostic import Diagnostic, Fix, Related, Severity
from agentspec.text.source import Span

READING: dict[str, Severity] = {
    "AS001": "error",  # unreadable YAML
    "AS002": "error",  # not UTF-8
    "AS003": "error",  # control character or binary file
    "AS004": "error",  # over a limit
    "AS005": "error",  # duplicate key
    "AS006": "error",  # tab indentation
    "AS007": "error",  # unknown alias
    "AS008": "error",  # anchor defined twice
    "AS009": "error",  # alias of a part of itself
    "AS010": "error",  # tag
    "AS011": "error",  # key is not a text
    "AS012": "error",  # unclosed quote or bracket
    "AS013": "error",  # value needs quotes
    "AS014": "error",  # value cut in two
    "AS015": "error",  # missing space after a colon
    "AS016": "error",  # number without a value
    "AS017": "note",  # leading zero
    "AS018": "error",  # nothing in the file
    "AS019": "error",  # two documents of one name
    "AS020": "error",  # invisible character in a name
    "AS021": "warning",  # bidirectional control in a text
    "AS022": "error",  # merge of something else than a mapping
    "AS023": "error",  # misplaced `!unset` or `!final`
    "AS024": "note",  # key that other YAML tools do not read as text
    "AS025": "error",  # unknown escape
    "AS026": "error",  # directive
    "AS027": "error",  # unknown kind of file
    "AS028": "error",  # indentation that fits nothing
    "AS029": "error",  # half a character
}


def finding(
    code: str,
    message: str,
    span: Span,
    *,
    path: str = "",
    help: str | None = None,  # noqa: A002 - named as the field that it fills
    fix: Fix | None = None,
    related: tuple[Related, ...] = (),
) -> Diagnostic:
    """A diagnostic with the severity that belongs to its code."""
    return Diagnostic(code, READING[code], message, span, path, help, fix, related)


def quoted(text: str, most: int = 60) -> str:
    """Some of the author's text in backticks, on one line and cut to a readable length."""
    flat = " ".join(text.split())
    return f"`{flat}`" if len(flat) <= most else f"`{flat[: most - 1]}…`"
