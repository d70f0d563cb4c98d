"""yaml_quotes: putting a value into quotes, as a fix."""

from __future__ import annotations

from agentspec.text.diagnostic import Edit, Fix
from agentspec.text.source import Span


def quote_fix(span: Span) -> Fix | None:
    """The fix that puts a stretch of one line into single quotes; None where that would not say the same."""
    text = span.text
    if "\n" in text or "\r" in text:
        return None
    return Fix("put the value in quotes", (Edit(span, "'" + text.replace("'", "''") + "'"),), "local")
