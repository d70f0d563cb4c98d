"""observability: the section that says what a run leaves behind.

The journal is always written; here is what is written beside it, and what is kept out of all of it.
"""

from __future__ import annotations

from typing import Literal

from agentspec.spec.base import Items, Maybe, Record, key
from agentspec.spec.kinds import Line, PathText, Regex


class JsonLines(Record):
    """Events as JSON lines in a file."""

    jsonl: PathText = key("The file.")


class Otel(Record):
    """OpenTelemetry spans and metrics; where they go stands in the standard environment variables."""

    content: bool = key("Whether texts are sent along.", default=False)
    service: Maybe[Line] = key("The name of the service.", None, shown="the agent's name")


class Redact(Record):
    """What is blanked before anything is written."""

    patterns: Items[Regex] = key("Texts, beside the built-in patterns.", [])
    keys: Items[Line] = key("Names whose values are blanked.", [])


class Observability(Record):
    """What it leaves behind."""

    events: Items[Literal["stderr", "otel"] | JsonLines] = key("Where events go, beside the journal.", [])
    otel: bool | Otel = key("OpenTelemetry spans and metrics.", default=False)
    trace: Literal["always", "on_failure", "never"] = key("When the result carries the trace.", "on_failure")
    redact: Redact = key("What is blanked before anything is written.", {})
    transcript_dir: Maybe[PathText] = key("A folder for one JSON line a message, as the model saw it.", None)
    report: bool | PathText = key("Whether and where a page about the run is written.", default=False)
    decisions: bool = key("Whether the result keeps every decision.", default=False)
