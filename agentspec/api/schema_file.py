"""schema_file: the JSON Schema of an output contract that stands in a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentspec.core.schema.validate import problems_of
from agentspec.errors import NotFound, Unavailable
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import plain

PLACE = "execution.output.schema"


def read_schema(path: Path, shown: str) -> Any:
    """The schema in a file, YAML or JSON. Raises `NotFound`, or `Unavailable` for what is no schema."""
    try:
        parsed = read_file(path)
    except NotFound as error:
        raise NotFound(f"`{PLACE}`: {error}") from None
    found = next((finding for finding in parsed.diagnostics if finding.severity == "error"), None)
    if found is not None or len(parsed.documents) != 1:
        what = found.message if found is not None else f"it holds {len(parsed.documents)} documents"
        raise Unavailable(f"`{PLACE}`: `{shown}` can't be read: {what}")
    schema = plain(parsed.documents[0].root)
    problems = problems_of(schema)
    if problems:
        raise Unavailable(f"`{PLACE}`: `{shown}` is no JSON Schema: {'; '.join(problems[:3])}")
    return schema
