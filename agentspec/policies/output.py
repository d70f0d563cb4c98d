"""output: hold the final answer to its contract; what does not fit is repaired a counted number of times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Consulted, Event
from agentspec.core.facts import Facts
from agentspec.core.formats.answer import read_value
from agentspec.core.formats.contract import PLACE, schema_of
from agentspec.core.judging.consult import breaks_over_schema
from agentspec.core.limits.price import Price, price_of_question, prices_of
from agentspec.core.limits.reserve import within
from agentspec.core.messages import Failure
from agentspec.core.models.patience import Patience, Tries, patience_with
from agentspec.core.models.replies import refuses_format
from agentspec.core.orders import Consultation, Outcome
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import End, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Rewrite, Ruling, Stop
from agentspec.core.schema.validate import Validator, compile_schema
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import wording
from agentspec.spec.settings import Settings

NAME = "output"
LONGEST = 60_000  # characters of an answer that a repair is shown
TIMEOUT = 60.0  # seconds of one repair, its tries after passing faults included


class Repairs(Record, frozen=True):
    """The repairs that were answered, and the last text that one gave; None while none has.

    `tries` are those of the repair that is asked for now, after faults that pass. A provider that refuses the schema
    is asked without it from then on.
    """

    asked: int = 0
    text: str | None = None
    failed: str = ""
    tries: Tries = Tries()
    has_schema: bool = True


class OutputContract(Policy[Repairs], frozen=True):
    """The answer is read as JSON, and held to a schema where there is one. Never sent on turns with tools."""

    stage: ClassVar = Stage.CLOSE
    number: ClassVar = 90
    claims: ClassVar = ("execution.output", "execution.output.schema", "execution.output.repairs")
    hears: ClassVar = (Answered, Consulted)
    reviews: ClassVar = (End,)

    validator: Validator
    repairs: int
    system: str
    prices: dict[str, Price] = {}
    patience: Patience = Patience()

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        schema = schema_of(settings)
        if schema is None:
            return None
        repairs = settings.whole(f"{PLACE}.repairs")
        if repairs is None:
            repairs = 3 if settings.text("execution.profile") == "verifier" else 1
        return cls(
            validator=compile_schema(schema, noun="output"),
            repairs=repairs,
            system=wording(settings, "answer.repair"),
            prices=prices_of(settings),
            patience=patience_with(settings, NAME),
        )

    def start(self) -> Repairs:
        return Repairs()

    def observe(self, memory: Repairs, event: Event | Notice, facts: Facts) -> Repairs:
        match event:
            case Consulted(asker="output", reply=reply) if reply is not None:
                return Repairs(memory.asked + 1, reply.text, has_schema=memory.has_schema)
            case Answered(asker="output"):
                return replace(memory, tries=memory.tries.waited())
            case Consulted(asker="output", failure=failure) if failure is not None:
                return self._failed(memory, event, failure, facts.run_id)
            case _:
                return memory

    def _failed(self, memory: Repairs, event: Consulted, failure: Failure, run_id: str) -> Repairs:
        if memory.has_schema and refuses_format(failure):
            return replace(memory, has_schema=False)
        tries = memory.tries.again(event, self.patience, TIMEOUT, run_id)
        if tries is not None:
            return replace(memory, tries=tries, has_schema=memory.has_schema and not breaks_over_schema(tries, failure))
        return replace(
            memory, asked=memory.asked + 1, failed=f"the repair failed: {memory.tries.ending(failure).message}"
        )

    def review(self, memory: Repairs, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, End) or proposal.outcome.output_valid is not None:
            return PASS
        outcome = proposal.outcome
        if outcome.status != "done" and not outcome.wrapped_up:
            return PASS
        text = proposal.answer if memory.text is None else memory.text
        value, problems = self._read(text)
        if not problems:
            return Rewrite(replace(proposal, outcome=replace(outcome, output=value, output_valid=True)))
        repair = self._repair(memory, text, problems, facts)
        if repair is not None:
            return repair
        detail = "; ".join((*((memory.failed,) if memory.failed else ()), *problems))
        if outcome.status == "done":
            return Stop(Outcome("failed", "output_invalid", place=PLACE, detail=detail, output_valid=False))
        return Rewrite(replace(proposal, outcome=replace(outcome, output_valid=False)))

    def _repair(self, memory: Repairs, text: str, problems: list[str], facts: Facts) -> Hold | None:
        """The question whose answer may take the place of this text, the wait before it, or None where none is due."""
        timeout = memory.tries.left(TIMEOUT, facts.now)
        if facts.left.deadline is not None:
            timeout = min(timeout, facts.left.deadline - facts.now)
        if memory.asked >= self.repairs or memory.failed or timeout <= (memory.tries.wait or 0.0):
            return None
        if memory.tries.wait is not None:
            return Hold("clock", memory.tries.wait)
        asked = self._question(facts.task, text, problems)
        schema, route = asked.schema if memory.has_schema else None, memory.tries.route
        price = price_of_question(self.prices, NAME, route)
        question = within(replace(asked, schema=schema, timeout=timeout, route=route), facts.left, price)
        return None if question is None else Hold("repair", question)

    def _read(self, text: str) -> tuple[Any, list[str]]:
        read = read_value(text)
        if read.problem:
            return None, [read.problem]
        return read.value, self.validator.check(read.value)

    def _question(self, task: str, text: str, problems: list[str]) -> Consultation:
        schema = self.validator.schema
        form = f"\n\nThe JSON Schema of the value:\n{json.dumps(schema, ensure_ascii=False)}" if schema else ""
        packet = (
            f"The task was:\n{task[:LONGEST]}\n\nThe answer:\n{text[:LONGEST]}\n\n"
            "What is wrong with its form:\n" + "\n".join(f"- {problem}" for problem in problems)
        )
        whole = dict(schema) if isinstance(schema, Mapping) and schema.get("type") == "object" else None
        return Consultation(system=self.system + form, packet=packet, role="repair", schema=whole)
