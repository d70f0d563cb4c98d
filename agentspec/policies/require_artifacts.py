"""require_artifacts: files that must exist at the end. Looked for by the shell, without a model; never read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from msgspec.structs import replace

from agentspec.core.events import Answered, Event
from agentspec.core.facts import ArtifactFacts, Facts
from agentspec.core.judging.vetoes import UNASKED, decision_of, veto
from agentspec.core.orders import Note, Outcome
from agentspec.core.policy import Notice, Policy, Ruled, Stage, TurnStarted
from agentspec.core.proposals import End, Proposal
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Refuse, Rewrite, Ruling
from agentspec.core.tools import ToolPlan
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

PLACE = "execution.require_artifacts"


class Looked(Record, frozen=True):
    """What was found, whether it is of the end that is proposed now, whether a veto was given, and that decision."""

    found: ArtifactFacts = ArtifactFacts()
    is_fresh: bool = False
    has_vetoed: bool = False
    decision: dict[str, Any] = {}


class RequireArtifacts(Policy[Looked], frozen=True):
    """One veto for a file that is missing; afterwards a run that lacks it ends unverified, whatever else confirms it.

    A path that cannot be looked at (outside of the project, a secret) is told, and holds nobody up.
    """

    stage: ClassVar = Stage.QUALITY
    number: ClassVar = 61
    claims: ClassVar = (PLACE,)
    hears: ClassVar = (Answered, Ruled, TurnStarted)
    reviews: ClassVar = (End,)
    publishes: ClassVar = "artifacts"
    announces: ClassVar = True

    paths: tuple[str, ...]
    words: str

    @classmethod
    def configure(cls, settings: Settings, tools: Mapping[str, ToolPlan]) -> Self | None:  # noqa: ARG003 - the shape
        paths = settings.get(PLACE)
        return cls(paths=tuple(paths), words=wording(settings, "gate.artifacts")) if paths else None

    def start(self) -> Looked:
        return Looked(ArtifactFacts(unverifiable=self.paths))  # until somebody has looked

    def observe(self, memory: Looked, event: Event | Notice, facts: Facts) -> Looked:
        match event:
            case Answered(asker="require_artifacts", answer=answer):
                return replace(memory, found=_read(answer, self.paths), is_fresh=True)
            case Ruled(policy="require_artifacts", ruling=Refuse() as refusal):
                decision = decision_of("require_artifacts", refusal, facts)
                return replace(memory, has_vetoed=True, is_fresh=False, decision=decision)
            case TurnStarted() | Ruled(proposal=End(), ruling=Refuse()):
                return replace(memory, is_fresh=False) if memory.is_fresh else memory
            case _:
                return memory

    def review(self, memory: Looked, proposal: Proposal, facts: Facts) -> Ruling:
        if not isinstance(proposal, End) or proposal.outcome.status in UNASKED:
            return PASS
        if not memory.is_fresh:
            return Hold("files", list(self.paths))
        missing = ", ".join(f"`{path}`" for path in memory.found.missing)
        if not missing or not proposal.is_gated:
            return PASS
        if not memory.has_vetoed:
            return veto(facts, fill(self.words, missing=missing), source="require_artifacts")
        detail = f"{missing} does not exist"
        lacking = Outcome("completion_unverified", "artifact_missing", place=PLACE, detail=detail)
        return Rewrite(replace(proposal, outcome=lacking))

    def notes(self, before: Looked, after: Looked) -> tuple[Note, ...]:
        return (Note(event="judge_decision", fields=after.decision),) if after.decision is not before.decision else ()

    def publish(self, memory: Looked) -> ArtifactFacts:
        return memory.found


def _read(answer: Any, paths: tuple[str, ...]) -> ArtifactFacts:
    """What the shell found, by path; what it says nothing about could not be looked at."""
    found = answer if isinstance(answer, Mapping) else {}

    def those(kind: str) -> tuple[str, ...]:
        return tuple(path for path in paths if found.get(path, "unverifiable") == kind)

    return ArtifactFacts(present=those("present"), missing=those("missing"), unverifiable=those("unverifiable"))
