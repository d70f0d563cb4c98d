"""arguments: a call runs only with arguments that can be read and that its tool's schema admits.

Broken text is mended once at most, and never where the reply was cut off; nothing is guessed into an effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.arguments import parse
from agentspec.core.facts import Facts
from agentspec.core.policy import Policy, Stage
from agentspec.core.proposals import Admit, Proposal
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.schema.validate import Mode, Validator, compile_schema
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings


class Arguments(Policy[None], frozen=True):
    """Parse, then hold against JSON Schema 2020-12; all that is wrong is said at once."""

    stage: ClassVar = Stage.VALID
    number: ClassVar = 20
    claims: ClassVar = ("execution.tool_arg_validation",)
    reviews: ClassVar = (Admit,)

    mode: Mode
    validators: dict[str, Validator]

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:
        mode: Any = settings.text("execution.tool_arg_validation") or "strict"
        return cls(mode=mode, validators={name: compile_schema(tool.parameters) for name, tool in tools.items()})

    def start(self) -> None:
        return None

    def review(self, memory: None, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        if not isinstance(proposal, Admit):
            return PASS
        parsed = parse(proposal.call.arguments, was_cut=proposal.is_cut)
        if parsed.arguments is None:
            return _refuse(parsed.problem)
        admitted = self.validators[proposal.call.name].admit(parsed.arguments, self.mode)
        if admitted.problems:
            return _refuse("; ".join(admitted.problems))
        changed = parsed.repaired or bool(admitted.changes)
        return Rewrite(replace(proposal, arguments=admitted.value, repaired=changed))


def _refuse(problem: str) -> Refuse:
    return Refuse(problem, status="invalid_arguments", category="invalid_arguments", retryable=True)
