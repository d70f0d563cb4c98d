"""rulings: what a policy may answer to a proposal."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from agentspec.core.messages import ToolCall, ToolStatus
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
    """Ask someone first, then propose again. A `Consultation` goes to a model, whoever is named."""

    who: str
    question: Any


class Refuse(Record, frozen=True):
    """Not this.

    - `Act`: `reason` is the result that the model reads.
    - `Take`: what becomes of the reply stands in `reply`: the model is asked `again` in the same turn, or the turn is
      over and the reply is forgotten (`drop`) or stays in the transcript, its calls answered as not run (`keep`).
    - `End`: go on working. `verdict` is what a judge said, and `escalates` whether it asked for a stronger model.

    What `tell` says stands at the end of the next request.
    """

    reason: str
    status: ToolStatus = "denied"
    category: str = ""
    retryable: bool = False
    reply: Literal["again", "drop", "keep"] = "again"
    tell: Feedback | None = None
    verdict: str = ""
    escalates: bool = False


class Stop(Record, frozen=True):
    """End the run with this outcome; with `is_gated` only if the gates of completion let it."""

    outcome: Outcome
    is_gated: bool = False


class Grant(Record, frozen=True):
    """Before this end, one last turn without tools, in which the model hears `words`; then the run ends as proposed."""

    words: str


class Supply(Record, frozen=True):
    """Answer this call with what is known already, or with what stands for it; it is not run. Only for an `Act`.

    `by` is the place in the spec that says so.
    """

    text: str
    data: Any = None
    artifact: str | None = None
    by: str = ""


class Make(Record, frozen=True):
    """Make this call before the model is asked, through the same gates as its own; only for a `Think`.

    It is the runtime's: it enters no transcript, and its result is told to the event stream alone.
    """

    call: ToolCall


Ruling: TypeAlias = Pass | Rewrite | Tell | Hold | Refuse | Supply | Stop | Grant | Make
PASS = Pass()
# Tells the model nothing: the composer drops what is empty. The policy hears it as its own ruling, and may remember
# what its review found (an expression that could not be evaluated), which a review itself must not.
SILENT = Tell(Feedback("silent", "", action="inform"))
