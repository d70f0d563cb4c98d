"""characters: which characters a file may hold at all.

Nothing here looks at the spelling; both use it before they read a file.
"""

from __future__ import annotations

import re
from functools import cache

from agentspec.syntax.findings import finding
from agentspec.syntax.limits import MAX_BYTES
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Source, Span

# All that YAML 1.2.2, 5.1 calls unprintable, and DEL. U+0085 is printable and no line end.
FORBIDDEN = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
NAMES = {
    0: "a NUL byte",
    0x08: "a backspace",
    0x0C: "a form feed",
    0x1B: "an escape character",
    0x7F: "a delete character",
}


@cache
def _forbidden() -> re.Pattern[str]:
    return re.compile(FORBIDDEN)


def refusal(source: Source) -> Diagnostic | None:
    """The one error of a text that is too large or holds characters that no spec may hold; None for any other."""
    text = source.text
    if len(text) > MAX_BYTES or (not text.isascii() and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES):
        return too_large(source)
    found = _forbidden().search(text)
    if found is None:
        return None
    span = Span(source, found.start(), found.end())
    number = ord(found.group())
    if 0xD800 <= number <= 0xDFFF:
        return finding(
            "AS002", f"the text holds half a character (surrogate U+{number:04X})", span, help="save it as UTF-8"
        )
    name = NAMES.get(number, "a control character")
    return finding(
        "AS003",
        f"{name} (U+{number:04X}) stands in the file" + ("; is it a binary file?" if number == 0 else ""),
        span,
        help="a spec is text; inside double quotes such a character is written as an escape",
    )


def too_large(source: Source) -> Diagnostic:
    """The error of a file over the size limit."""
    return finding(
        "AS004",
        f"the file is larger than {MAX_BYTES // (1024 * 1024)} MiB",
        Span(source, 0, 0),
        help="split it, or load long texts with `file:`",
    )
