"""ports: everything that a run needs from the outside, in one place. Nothing here does anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentspec.ports import Artifacts, Clock, Journal, Model, Respondent, Tool


class Ports:
    """Everything that a run needs from the outside."""

    def __init__(
        self,
        *,
        model: Model,
        tools: Mapping[str, Tool],
        clock: Clock,
        journal: Journal,
        artifacts: Artifacts,
        judges: Mapping[str, Model] | None = None,
        people: Mapping[str, Respondent] | None = None,
        names: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.model = model
        self.tools = tools
        self.clock = clock
        self.journal = journal
        self.artifacts = artifacts
        self.judges = judges or {}  # models beside the worker, by who asks them; who has none asks the worker's
        self.people = people or {}  # who else can be asked, by name: `command`, `files`, …
        self.names = names or {}  # `inputs` and `run`, as expressions and templates see them
