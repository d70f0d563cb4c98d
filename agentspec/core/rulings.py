"""rulings: what a policy may answer to a proposal."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from agentspec.core.messages import ToolStatus
from agentspec.core.orders import Outcome
from agentspec.core.proposals import Proposal
from agentspec.core.record import Record


class Feedback(Record, frozen=True):
    """A candidate for what the harness tells the model at the end of the next request, and nowhere else."""

    kind: str
    content: str
    action: Literal["inform", "continue", "stop"] = "continue"
    next_step: str = ""
    source: str = ""


class Pass(Record, frozen=True):
    """Nothing against it; ask the next policy."""


class Rewrite(Record, frozen=True):
    """Go on with this proposal instead; it must be of the same kind."""

    proposal: Proposal


class Tell(Record, frozen=True):
    """Hand a candidate to the feedback composer, then propose again."""

    feedback: Feedback


class Hold(Record, frozen=True):
    """Ask someone first, then propose again."""

    who: str
    question: Any


class Refuse(Record, frozen=True):
    """Not this. `Act`: `reason` is the result that the model reads. `Take`: the reply is dropped, or kept without
    running its calls with `keep`. `End`: go on working, with `tell` at the end of the next request.
    """

    reason: str
    status: ToolStatus = "denied"
    category: str = ""
    retryable: bool = False
    keep: bool = False
    tell: Feedback | None = None


class Stop(Record, frozen=True):
    """End the run with this outcome."""

    outcome: Outcome


Ruling: TypeAlias = Pass | Rewrite | Tell | Hold | Refuse | Stop
PASS = Pass()
