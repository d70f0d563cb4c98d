"""recover: a reply that announces a call and makes none, or shows one in a code fence, is told what is missing.

A guess at what was meant, so it never decides anything: told once until the next call, and the same text given again is
taken for what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.settings import Settings

LOOKED_AT = 20_000  # characters from the end of a text
LAST = 400  # characters of it that may announce something
HOW: dict[str, str] = {
    "native": "through the tool interface",
    "json": 'as a JSON step with `"action": "tool"`',
    "text": "between its tags",
}
MISSING = (
    "You announced a call of `{name}` and made none. Make it now, {how}; if the task is done, give the answer alone."
)
FENCED = "You wrote a call of `{name}` in a code fence, and nothing was run. Make the call {how}."

INTENT = re.compile(
    r"\b(?:I(?:['’]ll| will| am going to|['’]m going to| need to| should)|let(?: me|['’]s)|(?:next|now),? I|calling)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?…:])\s+|\n+")
FENCE = re.compile(r"```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)


class Recover(Policy[bool], frozen=True):
    """Memory: whether the model has been told since its last call."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 15
    claims: ClassVar = ("execution.recover.missing_call", "execution.recover.fenced_call")
    hears: ClassVar = (ModelReplied, Ruled)
    reviews: ClassVar = (Take,)

    tools: tuple[str, ...]
    sees_missing: bool = True
    sees_fenced: bool = True

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        own: Any = settings.get("execution.recover") or {}
        missing, fenced = own.get("missing_call", True), own.get("fenced_call", True)
        if not tools or not (missing or fenced):
            return None
        return cls(tools=tuple(tools), sees_missing=missing, sees_fenced=fenced)

    def start(self) -> bool:
        return False

    def observe(self, memory: bool, event: Event | Notice, facts: Facts) -> bool:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied(reply=reply) if reply.calls:
                return False
            case Ruled(policy="recover"):
                return True
            case _:
                return memory

    def review(self, memory: bool, proposal: Proposal, facts: Facts) -> Ruling:
        if memory or not isinstance(proposal, Take) or proposal.reply.calls or proposal.reply.has_sentinel:
            return PASS
        text = proposal.reply.text[-LOOKED_AT:]
        how = HOW[facts.tool_format]
        if self.sees_fenced and (name := _fenced(text, self.tools)) is not None:
            told = Feedback("fenced_call", FENCED.format(name=name, how=how), source="recover")
            return Refuse("a call in a code fence is not run", reply="keep", tell=told)
        if self.sees_missing and (name := _announced(text, self.tools)) is not None:
            told = Feedback("missing_call", MISSING.format(name=name, how=how), source="recover")
            return Refuse("a call was announced and not made", reply="keep", tell=told)
        return PASS


def _fenced(text: str, tools: tuple[str, ...]) -> str | None:
    """The tool that a code fence calls: `name(`, or an object that names it."""
    for _, body in FENCE.findall(text):
        for name in tools:
            call = rf"""^\s*{re.escape(name)}\s*\(|"(?:name|tool)"\s*:\s*"{re.escape(name)}\""""
            if re.search(call, body, re.MULTILINE):
                return name
    return None


def _announced(text: str, tools: tuple[str, ...]) -> str | None:
    """The tool that the last sentence says it is about to call."""
    sentences = [sentence for sentence in SENTENCE.split(text[-LAST:].strip()) if sentence.strip()]
    last = sentences[-1] if sentences else ""
    if not INTENT.search(last):
        return None
    return next((name for name in tools if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", last)), None)
