"""places: in which file a span stands, by its real path: a file that was read twice is one."""

from __future__ import annotations

import os
from pathlib import Path

from agentspec.resources import resource
from agentspec.text.source import Source, Span


def file_of(source: Source) -> str:
    """The real path of a source; one that comes with agentspec is where this installation has it."""
    path = os.path.realpath(source.name)
    parts = Path(source.name).parts
    is_ours = parts[:1] == ("stdlib",) and not os.path.exists(path)  # noqa: PTH110 - a place as text
    return str(resource(*parts)) if is_ours else path


Placed = tuple[str, int, int]
"""A file, and from where to where in it."""


def place_of(span: Span) -> Placed:
    """A span by its file."""
    return file_of(span.source), span.start, span.end
