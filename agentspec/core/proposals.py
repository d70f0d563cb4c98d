"""proposals: the six things a run ever wants next. A policy rules on each before it becomes an order."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from agentspec.core.context.view import View
from agentspec.core.messages import Reply, ToolCall, UserMessage
from agentspec.core.models.replies import estimate_tokens
from agentspec.core.orders import Outcome, ToolFormat
from agentspec.core.record import Record
from agentspec.core.transcript import Transcript, bytes_of


class Think(Record, frozen=True):
    """Call the model in turn `turn`; `attempt` counts from 1 within the turn. `is_last` is the turn of a wrap-up.

    `transcript` is what is recorded, `view` how it is shown, and `shown` what the request before has shown. `size` is
    about how many bytes the request has beside its tools; `beside` are those of the harness at its end. `recited` are
    texts of the harness that stand before its feedback there. `allowed` are the only ones of the shown tools that the
    model may call, where its provider can be told so. `route` is the number of the route that is to answer.
    """

    turn: int
    attempt: int = 1
    tools: tuple[str, ...] | None = None
    max_output_tokens: int | None = None
    tool_choice: str | None = None
    format: ToolFormat = "native"
    is_constrained: bool = True
    options: dict[str, Any] = {}
    is_last: bool = False
    size: int = 0
    beside: int = 0
    recited: tuple[str, ...] = ()
    allowed: tuple[str, ...] | None = None
    route: int = 0
    is_mirrored: bool = False  # a second model is asked the same, for comparison
    begun: str = ""  # the beginning of its answer, which the model goes on with
    transcript: Transcript = msgspec.field(default_factory=Transcript)
    view: View = View()
    shown: Transcript = msgspec.field(default_factory=Transcript)

    def adding(self, *texts: str) -> Think:
        """The same with texts of the harness that enter the transcript, each as a message, and stay there."""
        transcript, size = self.transcript, self.size
        for text in texts:
            transcript = transcript.append(UserMessage(text=text))
            size += bytes_of(text)
        return replace(self, transcript=transcript, size=size)

    def reciting(self, text: str) -> Think:
        """The same with one more text of the harness at its end, which enters no transcript."""
        more = bytes_of(text)
        return replace(self, recited=(*self.recited, text), size=self.size + more, beside=self.beside + more)

    def going_on(self, begun: str) -> Think:
        """The same with the beginning of an answer behind everything else."""
        more = bytes_of(begun)
        return replace(self, begun=begun, size=self.size + more, beside=self.beside + more)

    @property
    def tokens(self) -> float:
        """About how many tokens the request has beside its tools: what was shown before, and what is new."""
        transcript, shown = self.transcript, self.shown
        new = transcript.tokens - transcript.tokens_before(shown.position)
        return shown.tokens + new + estimate_tokens(self.beside)


class Take(Record, frozen=True):
    """Adopt this reply; `is_last` where it is the last words of a run that a bound ends."""

    reply: Reply
    is_last: bool = False


class Admit(Record, frozen=True):
    """Let this call be run at all: proposed for every call of a reply before the first of them starts.

    `arguments` is None until a policy has read them; `is_cut` where the reply did not say that it was complete.
    """

    call: ToolCall
    index: int
    arguments: dict[str, Any] | None = None
    repaired: bool = False
    is_cut: bool = False


class Act(Record, frozen=True):
    """Run this call, which was admitted with these arguments."""

    call: ToolCall
    index: int
    arguments: dict[str, Any]
    repaired: bool = False


class Close(Record, frozen=True):
    """Close the turn: everything that it asked for is settled, and the run is to go on."""

    turn: int


class End(Record, frozen=True):
    """Finish like this. `answer` is the text that the run would end with.

    With `is_gated` the gates of completion are asked first; a failure, a bound and a rule's own stop are not.
    """

    outcome: Outcome
    answer: str = ""
    is_gated: bool = False


Proposal: TypeAlias = Think | Take | Admit | Act | Close | End
