"""options: what a caller may say about one run, beside its spec and its task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Approve = Literal["ask", "allow", "deny"]
ToolOutcome = Literal["ask", "assume_failed", "rerun"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run is started. Everything has a default that is safe.

    `script` answers the model's calls from a file instead of a provider; `record` writes the run as a scenario;
    `on_event` hears every event of the stream as a plain mapping.

    >>> RunOptions(inputs={"folder": "orders"}, model="openai:gpt-5.4-mini").approve
    'ask'
    """

    inputs: Mapping[str, Any] = field(default_factory=dict)
    sets: tuple[str, ...] = ()
    model: str | None = None
    script: Path | None = None
    session: str | None = None
    store: str | None = None
    approve: Approve = "ask"
    identity: Mapping[str, Any] = field(default_factory=dict)
    allow_python: bool = False
    record: Path | None = None
    trace: bool = False
    on_event: Callable[[dict[str, Any]], None] | None = None
    on_notice: Callable[[str], None] | None = None  # one line for people: which provider was chosen, and the like

    def notice(self, line: str) -> None:
        """Say one line to people, where anybody listens."""
        if self.on_notice is not None:
            self.on_notice(line)
