"""skills: choose the skills that fit, say their instructions once, and hold calls to the tools that they leave.

Instructions enter the transcript at its end, so that no request loses the beginning that it had; nothing is said
twice. A skill never allows what another gate refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.calls.denials import denied, names
from agentspec.core.calls.matching import is_named
from agentspec.core.events import Event, Resumed, RunStarted, ToolReturned, UserSaid
from agentspec.core.facts import Facts
from agentspec.core.messages import ToolCall
from agentspec.core.offer.skills import TOOL, Candidate, Skills, allowed, candidates, instructions, skills_of
from agentspec.core.orders import Note
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnEnded, TurnStarted
from agentspec.core.proposals import Admit, Proposal, Think
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Make, Rewrite, Ruling
from agentspec.core.tools import ToolPlan, touched_by
from agentspec.spec.prompts import fill, wordings
from agentspec.spec.settings import Settings

FILES_KEPT = 200
RUNTIME = frozenset(("runtime", "skill"))  # kinds of tools that no skill takes away


class Chosen(Record, frozen=True):
    """The skills that are active, in the order in which they became so, and what is still to be said of them.

    `matched` were chosen by what the run works on, the other active ones by the model. `said` are those whose
    instructions the transcript holds. `words` are the newest of a person. `to_make` are calls that skills ask for when
    they become active or cease, `making` is the one that is made now, by its id.
    """

    active: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    words: str = ""
    looked: int = 0
    iteration: int = 0
    candidates: tuple[Candidate, ...] = ()
    to_say: tuple[str, ...] = ()
    to_make: tuple[ToolCall, ...] = ()
    making: str = ""
    made: int = 0


class SkillsPolicy(Policy[Chosen], frozen=True):
    """Matches before the first turn, and before each one where skills are not sticky."""

    stage: ClassVar = Stage.SHAPE
    number: ClassVar = 30
    claims: ClassVar = ("capability.skills", "capability.skill_match")
    hears: ClassVar = (RunStarted, UserSaid, Resumed, ToolReturned, Ruled, TurnStarted, TurnEnded)
    reviews: ClassVar = (Think, Admit)
    publishes: ClassVar = "active_skills"
    announces: ClassVar = True

    skills: Skills
    tools: Mapping[str, ToolPlan]
    words: dict[str, str]
    project: str = ""
    working_files: tuple[str, ...] = ()

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:
        skills = skills_of(settings)
        if skills is None:
            return None
        return cls(
            skills=skills,
            tools=dict(tools),
            words=wordings(settings, "skill"),
            project=settings.project,
            working_files=tuple(settings.get("context.working_files") or ())[:FILES_KEPT],
        )

    def start(self) -> Chosen:
        return Chosen()

    def observe(self, memory: Chosen, event: Event | Notice, facts: Facts) -> Chosen:
        after = self._observed(memory, event, facts)
        return after if after.active == memory.active else self._with_calls(memory, after)

    def _with_calls(self, before: Chosen, after: Chosen) -> Chosen:
        """What is to be made since other skills are active than before."""
        ceased = [skill for name in before.active if name not in after.active and (skill := self.skills.named(name))]
        new = [skill for name in after.active if name not in before.active and (skill := self.skills.named(name))]
        hooks = [hook for skill in ceased for hook in skill.on_deactivate]
        hooks += [hook for skill in new for hook in skill.on_activate]
        if not hooks:
            return after
        numbered = enumerate(hooks, after.made + 1)
        calls = tuple(
            ToolCall(id=f"skill_{number}", name=hook.tool, arguments=hook.arguments) for number, hook in numbered
        )
        return replace(after, to_make=(*after.to_make, *calls), made=after.made + len(calls))

    def _observed(self, memory: Chosen, event: Event | Notice, facts: Facts) -> Chosen:
        match event:
            case RunStarted():
                files = tuple(dict.fromkeys((*self.working_files, *_paths_in(facts.task))))
                return self._matched(replace(memory, words=facts.task, files=files), 0)
            case UserSaid(text=str(text)) | Resumed(message=str(text)):
                return replace(memory, words=text)
            case ToolReturned() if event.call.name == TOOL:
                return self._taken_up(memory, event)
            case ToolReturned():
                return self._worked(memory, event)
            case TurnEnded(turn=turn) if not self.skills.sticky:
                return self._matched(memory, turn)
            case Ruled(ruling=Make(call=call)) if memory.to_make and call.id == memory.to_make[0].id:
                return replace(memory, to_make=memory.to_make[1:], making=call.id)
            case TurnStarted() if memory.to_say or memory.making:
                return replace(memory, to_say=(), making="")
            case _:
                return memory

    def _matched(self, memory: Chosen, iteration: int) -> Chosen:
        """Choose again by what the run works on; what the model took up itself stays."""
        found = candidates(self.skills, memory.words, memory.files, iteration=iteration, project=self.project)
        best = tuple(one.name for one in found if one.score > 0)[: self.skills.top_n]
        own = tuple(name for name in memory.active if name not in memory.matched)
        kept = tuple(name for name in memory.active if name in best or name in own)
        new = tuple(name for name in best if name not in kept)
        ceased = tuple(name for name in memory.active if name not in kept)
        to_say = (
            *memory.to_say,
            *(fill(self.words["ceased"], name=name) for name in ceased),
            *self._words(memory, new),
        )
        return replace(
            memory,
            active=(*kept, *new),
            matched=tuple(name for name in best if name not in own),
            said=tuple(dict.fromkeys((*memory.said, *new))),
            looked=memory.looked + 1,
            iteration=iteration,
            candidates=tuple(found),
            to_say=to_say,
        )

    def _words(self, memory: Chosen, new: tuple[str, ...]) -> Iterator[str]:
        for name in new:
            skill = self.skills.named(name)
            if skill is not None:
                yield fill(self.words["again"], name=name) if name in memory.said else instructions(skill)

    def _taken_up(self, memory: Chosen, event: ToolReturned) -> Chosen:
        """The model has read the instructions in the answer of its call; a file of a skill is no such answer."""
        asked = event.result.arguments
        name = asked.get("name") if isinstance(asked, Mapping) and asked.get("file") is None else None
        if not event.result.ok or not isinstance(name, str) or self.skills.named(name) is None:
            return memory
        return replace(
            memory,
            active=tuple(dict.fromkeys((*memory.active, name))),
            matched=tuple(other for other in memory.matched if other != name),
            said=tuple(dict.fromkeys((*memory.said, name))),
        )

    def _worked(self, memory: Chosen, event: ToolReturned) -> Chosen:
        """The files that a call touched are worked on from now on; the newest are kept."""
        tool, arguments = self.tools.get(event.call.name), event.result.arguments
        if self.skills.sticky or tool is None or not isinstance(arguments, Mapping):
            return memory
        files = tuple(dict.fromkeys((*memory.files, *touched_by(tool, arguments).paths)))[-FILES_KEPT:]
        return memory if files == memory.files else replace(memory, files=files)

    def review(self, memory: Chosen, proposal: Proposal, facts: Facts) -> Ruling:  # noqa: ARG002 - the shape
        match proposal:
            case Think(is_last=False) if memory.to_make:
                return Make(memory.to_make[0])
            case Think(is_last=False) if memory.to_say:
                return Rewrite(proposal.adding(*memory.to_say))
            case Admit(call=call) if call.id != memory.making:
                return self._review_call(memory, call.name)
            case _:
                return PASS

    def _review_call(self, memory: Chosen, name: str) -> Ruling:
        globs = allowed(self.skills, memory.active)
        tool = self.tools.get(name)
        if globs is None or tool is None or tool.kind in RUNTIME or is_named(name, globs):
            return PASS
        active = names(memory.active)
        return denied("skill", f"{active} leaves no `{name}`", f"Allowed tools: {names(globs)}.")

    def publish(self, memory: Chosen) -> tuple[str, ...]:
        return memory.active

    def notes(self, before: Chosen, after: Chosen) -> tuple[Note, ...]:
        return tuple(self._notes(before, after))

    def _notes(self, before: Chosen, after: Chosen) -> Iterator[Note]:
        if after.looked != before.looked:
            yield from self._match_notes(after)
        for name in before.active:
            if name not in after.active:
                yield Note(event="skill_deactivated", fields={"name": name, "reason": "it fits no more"})
        for name in after.active:
            if name not in before.active:
                skill = self.skills.named(name)
                globs = list(skill.allowed_tools) if skill is not None else []
                by = "match" if name in after.matched else "model"
                yield Note(event="skill_activated", fields={"name": name, "by": by, "allowed_tools": globs})

    def _match_notes(self, after: Chosen) -> Iterator[Note]:
        for one in after.candidates:
            if one.problem:
                fields: dict[str, Any] = {"place": "skills.when", "skill": one.name, "error": one.problem}
                yield Note(event="expression_error", fields=fields)
        # Nobody here can compare meanings: words are compared instead, and the event says so.
        asked = self.skills.strategy
        fields = {
            "iteration": after.iteration,
            "strategy": "metadata" if asked == "embedding" else asked,
            "candidates": [{"name": one.name, "score": one.score} for one in after.candidates],
            "chosen": list(after.matched),
        }
        yield Note(event="skill_matched", fields=fields | ({"instead_of": asked} if asked == "embedding" else {}))


def _paths_in(text: str) -> tuple[str, ...]:
    """The words of a task that look like paths of files."""
    words = (word.strip("`'\"()[],;:!?").rstrip(".") for word in text.split())
    return tuple(dict.fromkeys(word for word in words if word and ("/" in word or "." in word) and "://" not in word))
