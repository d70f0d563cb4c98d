"""scratchpad: the model's own notes, recited at the end of each request and put in order every few turns.

They are in no conversation: only what stands in the harness slot tells of them, so that no request begins otherwise
for it. A reorganisation that fails, or can't be read, leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.context.notes import MOST, SCHEMA, SECTIONS, Notes, reordered
from agentspec.core.context.told import whole
from agentspec.core.events import Consulted, Event, ToolReturned
from agentspec.core.facts import Facts
from agentspec.core.formats.answer import read_value
from agentspec.core.judging.consult import clip
from agentspec.core.limits.price import Price, price_for, prices_of
from agentspec.core.limits.reserve import within
from agentspec.core.messages import ToolResult
from agentspec.core.orders import Consultation, Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage
from agentspec.core.proposals import Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Rewrite, Ruling
from agentspec.core.schema.validate import Validator, compile_schema
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wordings
from agentspec.spec.settings import Settings

PLACE = "context.scratchpad"
NAME = "scratchpad"
RECENT = 12  # messages that a reorganisation looks at
CALLS = 2  # that have to be left: this one, and that of the turn
RECENT_TOKENS = 12_000.0  # of those; where they have more they are shortened
TOOLKIT = "scratch"
TOOLS = {"scratch_write": True, "scratch_delete": False}  # tools that change a section of its name; whether they write


class Pad(Record, frozen=True):
    """The notes; `asked` is the turn before which they were put in order last, on the `evidence` of its packet.

    `tries` counts the answers of this time that could not be read, and `told` all changes that the stream has heard of.
    """

    notes: Notes = Notes()
    asked: int = 0
    evidence: str = ""
    tries: int = 0
    is_open: bool = False
    told: int = 0
    change: dict[str, Any] = {}


class Scratchpad(Policy[Pad], frozen=True, gc=True):
    """The tools of the toolkit `scratch` write the sections `goals`, `open_items`, `facts`, `refs`, `deliverables`."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 88
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (ToolReturned, Consulted, Ruled)
    reviews: ClassVar = (Think,)
    publishes: ClassVar = NAME
    announces: ClassVar = True

    first: Notes
    words: dict[str, str]
    tools: dict[str, bool]  # of the toolkit, by the names that the model calls them
    validator: Validator
    most: int = MOST
    every: int = 3
    recent: int = RECENT
    retries: int = 1
    recites: bool = True
    longest: int | None = None
    price: Price | None = None

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        written: Any = settings.get(PLACE)
        if not written:
            return None
        given: Mapping[str, Any] = written if isinstance(written, Mapping) else {}
        chosen = {
            field: given[name]
            for name, field in (
                ("reorganize_every", "every"),
                ("max_recent_messages", "recent"),
                ("schema_retries", "retries"),
                ("recite", "recites"),
            )
            if given.get(name) is not None
        }
        most = settings.size(f"{PLACE}.max_size") or MOST
        return cls(
            first=Notes(**{name: tuple(given.get(name) or ()) for name in SECTIONS}).within(most),
            words=wordings(settings, NAME),
            tools=_tools_of(settings),
            validator=compile_schema(SCHEMA, noun="scratchpad"),
            most=most,
            longest=settings.whole(f"{PLACE}.reorganizer.max_output_tokens"),
            price=price_for(prices_of(settings), NAME),
            **chosen,
        )

    def start(self) -> Pad:
        return Pad(notes=self.first)

    def observe(self, memory: Pad, event: Event | Notice, facts: Facts) -> Pad:  # noqa: ARG002 - the shape
        match event:
            case ToolReturned(result=result) if result.name in self.tools and result.ok:
                return self._written(memory, result)
            case Ruled(policy="scratchpad", proposal=Think(turn=turn), ruling=Hold(question=asked)):
                tries = memory.tries if memory.asked == turn else 0
                return replace(memory, asked=turn, evidence=asked.packet, is_open=True, tries=tries)
            case Consulted(asker="scratchpad"):
                return self._put_in_order(memory, event)
            case _:
                return memory

    def _written(self, pad: Pad, result: ToolResult) -> Pad:
        """A tool of the toolkit has changed a note; one that is named after a section is that section."""
        given = result.arguments if isinstance(result.arguments, Mapping) else {}
        section = given.get("name")
        if section not in SECTIONS:
            return pad
        text = str(given.get("text") or "") if self.tools[result.name] else ""
        notes = pad.notes.written(section, text, is_added=given.get("append") is True)
        return self._changed(pad, notes, {"by": result.name, "section": section})

    def _put_in_order(self, pad: Pad, event: Consulted) -> Pad:
        if event.reply is None:
            words = event.failure.message if event.failure is not None else "no answer"
            return self._changed(replace(pad, is_open=False), pad.notes, {"by": "reorganizer", "problem": words})
        read = read_value(event.reply.text)
        problems = [read.problem] if read.problem else self.validator.check(read.value)
        if problems:
            pad = replace(pad, tries=pad.tries + 1, is_open=pad.tries < self.retries)
            return self._changed(pad, pad.notes, {"by": "reorganizer", "problem": problems[0]})
        notes, left_out = reordered(pad.notes, read.value, pad.evidence)
        pad = replace(pad, is_open=False, tries=0, evidence="")
        return self._changed(pad, notes, {"by": "reorganizer", "left_out": left_out})

    def _changed(self, pad: Pad, notes: Notes, change: dict[str, Any]) -> Pad:
        kept = notes.within(self.most)
        dropped = sum(len(getattr(notes, section)) - len(getattr(kept, section)) for section in SECTIONS)
        return replace(pad, notes=kept, told=pad.told + 1, change=change | {"dropped": dropped})

    def review(self, memory: Pad, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, Think):
            return PASS
        question = self._question(memory, proposal, facts)
        if question is not None:
            return Hold(NAME, question)
        text = memory.notes.text() if self.recites else ""
        return Rewrite(proposal.reciting(fill(self.words["recite"], notes=text))) if text else PASS

    def _question(self, pad: Pad, think: Think, facts: Facts) -> Consultation | None:
        """What is asked before this turn, where it is time to put the notes in order, or to do so again."""
        is_due = (think.turn - 1) % self.every == 0 and think.turn > 1 and pad.asked != think.turn
        is_again = pad.is_open and pad.asked == think.turn
        if think.is_last or think.attempt > 1 or not (is_due or is_again):
            return None
        if facts.left.provider_calls is not None and facts.left.provider_calls < CALLS:
            return None
        question = Consultation(
            system=self.words["reorganize"],
            packet=self._packet(pad.notes, think, facts),
            role="summary",
            schema=SCHEMA,
            max_output_tokens=self.longest,
        )
        return within(question, facts.left, self.price)

    def _packet(self, notes: Notes, think: Think, facts: Facts) -> str:
        shown = think.view.uncut(think.transcript, range(len(think.transcript)))
        said = whole(shown[-self.recent :], RECENT_TOKENS)
        return f"The task:\n{clip(facts.task)}\n\nThe notes:\n{notes.text() or 'none'}\n\nThe newest messages:\n{said}"

    def publish(self, memory: Pad) -> str:
        return memory.notes.text()

    def notes(self, before: Pad, after: Pad) -> tuple[Note, ...]:
        if after.told == before.told:
            return ()
        counts = {section: len(getattr(after.notes, section)) for section in SECTIONS}
        return (Note(event="scratchpad_updated", fields={**after.change, "holds": counts}),)


def _tools_of(settings: Settings) -> dict[str, bool]:
    """The tools of the toolkit under the names that a spec gives them."""
    listed = (each for each in settings.get("capability.toolkits") or () if isinstance(each, Mapping))
    options: Any = next((each[TOOLKIT] for each in listed if TOOLKIT in each), None) or {}
    names = options.get("names") or {}
    return {names.get(name, name): writes for name, writes in TOOLS.items()}
