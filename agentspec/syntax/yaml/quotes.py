"""quotes: putting a value into quotes, as a fix."""

from __future__ import annotations

from agentspec.text.diagnostic import Edit, Fix
from agentspec.text.source import Span


def quote_fix(span: Span, text: str | None = None) -> Fix | None:
    """The fix that writes a stretch of one line, or `text` in its place, in single quotes; None over several lines."""
    text = span.text if text is None else text
    if "\n" in span.text or "\r" in span.text:
        return None
    return Fix("put the value in quotes", (Edit(span, "'" + text.replace("'", "''") + "'"),), "local")
