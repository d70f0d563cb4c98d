"""asked: the places of a document that a rule asks for, and whether there is something at one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path

Place: TypeAlias = Path  # or one of these words with what it is about; no key of a document has a blank
TOOL_WITH = "tool with"  # a key of tools that the spec declares
REFERENCE_TO = "reference to"
EXPRESSION: Place = ("any expression", "")

OTHERWISE: dict[str | int, Callable[[Subject, str], bool]] = {
    TOOL_WITH: lambda subject, key: bool(subject.tools_with(key)),
    REFERENCE_TO: lambda subject, to: next(subject.references(to), None) is not None,
    EXPRESSION[0]: lambda subject, _: bool(subject.expressions),
}


def is_there(subject: Subject, place: Place) -> bool:
    """Whether a document has something at a place."""
    other = OTHERWISE.get(place[0])
    return subject.at(*place) is not None if other is None else other(subject, str(place[1]))
