"""read_output: the tool that reads on in a large result is shown from the turn after the first one that was cut.

Only outputs that this run was told of are read: others of the same store are somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.cap import READ_OUTPUT
from agentspec.core.events import Event, RunStarted, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.messages import ToolMessage, ToolResult
from agentspec.core.policy import Notice, Policy, Stage
from agentspec.core.proposals import Act, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan, bytes_of_tool
from agentspec.spec.settings import Settings

KEPT = 1000  # outputs that can be read; of more the oldest are forgotten
ID = re.compile(r"\b[0-9a-f]{64}\b")


class Cut(Record, frozen=True):
    """The outputs that can be read, oldest first."""

    known: tuple[str, ...] = ()


class ReadOutput(Policy[Cut], frozen=True):
    """A request without anything to read on in has the tools of the spec, and no other."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 95
    hears: ClassVar = (RunStarted, ToolReturned)
    reviews: ClassVar = (Think, Act)
    publishes: ClassVar = "late_tool_bytes"

    shown: tuple[str, ...]
    size: int

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        late = tools.get(READ_OUTPUT)
        if late is None or not late.is_late:
            return None
        return cls(shown=tuple(name for name in tools if name != READ_OUTPUT), size=bytes_of_tool(late))

    def start(self) -> Cut:
        return Cut()

    def observe(self, memory: Cut, event: Event | Notice, facts: Facts) -> Cut:  # noqa: ARG002 - the shape
        match event:
            case RunStarted(opening=opening):  # of a conversation that goes on
                texts = [message.text for message in opening if isinstance(message, ToolMessage)]
                found = [each for text in texts for each in ID.findall(text)]
            case ToolReturned(result=result):
                found = list(_artifacts(result))
            case _:
                return memory
        new = [each for each in dict.fromkeys(found) if each not in memory.known]
        return Cut((*memory.known, *new)[-KEPT:]) if new else memory

    def review(self, memory: Cut, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        match proposal:
            case Think() if memory.known:
                tools = self.shown if proposal.tools is None else proposal.tools
                allowed = None if proposal.allowed is None else (*proposal.allowed, READ_OUTPUT)
                return Rewrite(replace(proposal, tools=(*tools, READ_OUTPUT), allowed=allowed))
            case Act(call=call, arguments=arguments) if call.name == READ_OUTPUT:
                asked = str(arguments.get("artifact"))
                return PASS if asked in memory.known else _unknown(asked, memory)
            case _:
                return PASS

    def publish(self, memory: Cut) -> int:
        return self.size if memory.known else 0


def _artifacts(result: ToolResult) -> Iterator[str]:
    """The outputs that a result names: itself where it was cut, and what came with it."""
    if result.artifact is not None and result.truncated:
        yield result.artifact
    kept = result.data.get("artifacts") if isinstance(result.data, dict) else None
    for each in kept if isinstance(kept, list) else ():
        artifact = each.get("artifact") if isinstance(each, dict) else None
        if isinstance(artifact, str) and ID.fullmatch(artifact):
            yield artifact


def _unknown(asked: str, memory: Cut) -> Refuse:
    newest = f"; the newest is `{memory.known[-1]}`" if memory.known else ": nothing of this run was cut"
    return Refuse(
        f"this run has no output `{asked[:80]}`{newest}", status="invalid_arguments", category="unknown_artifact"
    )
