"""progress_tool: the tool with which a model says how far it is. The run's policy of the same name tells the others."""

from __future__ import annotations

from agentspec.core.offer.narrowing import PROGRESS
from agentspec.core.tools import ToolPlan
from agentspec.ports import Invocation, Output

DESCRIPTION = "Tells the people who watch how far you are. Call it beside your work, never in its place."


def progress_plan() -> ToolPlan:
    """The tool as the model sees it."""
    return ToolPlan(
        name=PROGRESS,
        description=DESCRIPTION,
        parameters={
            "type": "object",
            "properties": {
                "message": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "One sentence."},
                "percent": {"type": "number", "minimum": 0, "maximum": 100, "description": "How much is done."},
            },
            "required": ["message"],
            "additionalProperties": False,
        },
        effect="none",
        kind="runtime",
        repeat="read",
    )


class ProgressReport:
    """Says that it was heard."""

    async def call(self, invocation: Invocation) -> Output:  # noqa: ARG002 - the shape
        return Output(text="told")

    async def close(self) -> None: ...
