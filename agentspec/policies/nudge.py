"""nudge: a reply that neither acts nor answers is asked for once more, then nudged, a counted number of times.

An answer that is turned down is no nudge, and a call begins the count anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.announced import announced_call, fenced_call
from agentspec.core.events import Event, ModelReplied
from agentspec.core.facts import Facts
from agentspec.core.messages import Reply
from agentspec.core.orders import Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Take
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Feedback, Refuse, Ruling, Stop
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wordings
from agentspec.spec.settings import Settings

HOW: dict[str, str] = {
    "native": "through the tool interface",
    "json": 'as a JSON step with `"action": "tool"`',
    "text": "between its tags",
}


class Barren(Record, frozen=True):
    """Replies in a row that held nothing, and the nudges given since the last tool call."""

    empties: int = 0
    nudges: int = 0
    replies: int = 0  # without a call, in a row


class Nudge(Policy[Barren], frozen=True):
    """The first empty reply is asked for again in the same turn; what is nudged is a turn of its own."""

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 20
    claims: ClassVar = (
        "execution.max_nudges",
        "execution.nudge",
        "execution.turn_policy.require_action_or_yield",
        "execution.turn_policy.max_prose_chars",
        "execution.recover.missing_call",
        "execution.recover.fenced_call",
    )
    hears: ClassVar = (ModelReplied, Ruled)
    reviews: ClassVar = (Take,)

    most: int
    prompts: dict[str, str]
    words: str = ""
    loops: bool = False
    requires_action: bool = False
    longest: int | None = None
    needs_tools: bool = False  # where they have succeeded, words alone propose the end
    announced: tuple[str, ...] = ()  # tools that an announcement is looked for
    fenced: tuple[str, ...] = ()

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self:
        own: Any = settings.get("execution.turn_policy") or {}
        recover: Any = settings.get("execution.recover") or {}
        return cls(
            most=settings.whole("execution.max_nudges") or 0,
            prompts=wordings(settings, "nudge"),
            words=settings.text("execution.nudge") or "",
            loops=settings.flag("execution.loop_until_done"),
            requires_action=own.get("require_action_or_yield", False),
            longest=own.get("max_prose_chars"),
            needs_tools=bool(settings.get("execution.require_successful_tools")),
            announced=tuple(tools) if recover.get("missing_call", True) else (),
            fenced=tuple(tools) if recover.get("fenced_call", True) else (),
        )

    def start(self) -> Barren:
        return Barren()

    def observe(self, memory: Barren, event: Event | Notice, facts: Facts) -> Barren:  # noqa: ARG002 - the shape
        match event:
            case ModelReplied(reply=reply) if reply.calls:
                return Barren()
            case ModelReplied(reply=reply):
                empties = 0 if _says_something(reply) else memory.empties + 1
                return replace(memory, empties=empties, replies=memory.replies + 1)
            case Ruled(policy="nudge", ruling=Refuse(reply="keep")):
                return replace(memory, nudges=memory.nudges + 1)
            case _:
                return memory

    def review(self, memory: Barren, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Take) or proposal.reply.calls:
            return PASS
        if memory.empties == 1:
            return Refuse("an empty reply is asked for again")
        told = self._wrong(memory, proposal.reply, facts)
        if told is None:
            return PASS
        if memory.nudges >= self.most:
            return Stop(Outcome("stuck", "max_nudges", place="execution.max_nudges", detail=_detail(memory)))
        return Refuse("an empty reply" if memory.empties else "no answer yet", reply="keep", tell=told)

    def _wrong(self, memory: Barren, reply: Reply, facts: Facts) -> Feedback | None:
        """What is wrong with a reply without calls; None where it is an answer."""
        word = facts.sentinel
        if memory.empties:
            return self._nudge(facts.tool_format, word=word, is_end=self.loops)
        if self.longest is not None and len(reply.text) > self.longest:
            return self._nudge("too_long", length=len(reply.text), most=self.longest)
        if reply.has_sentinel:
            return None
        if (spoken := self._spoken_of(memory, reply, facts)) is not None:
            return spoken
        if self.requires_action:
            return self._nudge(f"action.{facts.tool_format}", word=word, is_end=True)
        is_answer = self.needs_tools and facts.session.required_tools_satisfied
        return self._nudge("sentinel", word=word) if word and self.loops and not is_answer else None

    def _nudge(self, prompt: str, *, word: str = "", is_end: bool = False, **values: object) -> Feedback:
        """The author's words, or those of a prompt; with `is_end` also how the run is ended, where a word does it."""
        ending = f" {self.prompts['ending']}" if is_end and word else ""
        words = fill(self.prompts[prompt] + ending, word=word, **values)
        return Feedback("nudge", self.words or words, source="nudge")

    def _spoken_of(self, memory: Barren, reply: Reply, facts: Facts) -> Feedback | None:
        """A call that the reply speaks of and does not make; where the run would end with a text anyway, told once."""
        if self.most == 0 or (memory.replies > 1 and not self.loops):
            return None
        how = HOW[facts.tool_format]
        if (name := fenced_call(reply.text, self.fenced)) is not None:
            return Feedback("fenced_call", fill(self.prompts["fenced_call"], name=name, how=how), source="nudge")
        if (name := announced_call(reply.text, self.announced)) is not None:
            return Feedback("missing_call", fill(self.prompts["missing_call"], name=name, how=how), source="nudge")
        return None


def _says_something(reply: Reply) -> bool:
    return bool(reply.text.strip()) or reply.has_sentinel


def _detail(memory: Barren) -> str:
    if memory.empties:
        return f"{memory.empties} empty replies in a row, {memory.nudges} nudges"
    return f"another reply that neither acted nor finished, after {memory.nudges} nudges"
