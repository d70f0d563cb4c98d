"""script: a provider that answers from a list of turns, offline (runtime.md, 13).

A real provider behind the same interface: retries, limits, formats and streaming work on it. A turn is used once; when
none is left that fits, the answer is a failure that says so, never silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agentspec.adapters.models.followed import Followed
from agentspec.adapters.models.layers.witness import Witness
from agentspec.adapters.models.wires.body import read_body
from agentspec.adapters.models.wires.draft import Complained, Cut, Draft, Unreadable
from agentspec.adapters.models.wires.failures import RETRYABLE, classify, complaint_of, status_of
from agentspec.adapters.models.wires.openai_reply import ChatReader
from agentspec.adapters.models.wires.pieces import TooLarge
from agentspec.adapters.outside import ALONE, Outside
from agentspec.adapters.people.consents import Consents
from agentspec.adapters.people.replies import Rule
from agentspec.adapters.tools.recorded import Recording
from agentspec.core.messages import Failure, FailureClass, Reply
from agentspec.core.models.replies import BYTES_PER_TOKEN, RawCall
from agentspec.core.record import Record
from agentspec.core.transcript import bytes_of
from agentspec.ports import Delta, ModelRequest

USAGE_OF_OUTPUT = frozenset(("output_tokens", "completion_tokens"))
ROLES = ("worker", "judge", "summary", "repair")
USAGE = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
PIECE = re.compile(r"\S+\s*|\s+")  # text streams word by word


class ScriptTurn(Record, frozen=True):
    """One answer of a script."""

    text: str = ""
    tool_calls: tuple[RawCall, ...] = ()
    finish_reason: str = ""
    usage: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    delay: float = 0.0
    raw: bytes | None = None
    match: str | None = None
    role: str | None = None
    reasoning: str = ""
    said: str = ""
    interrupt: bool = False

    @property
    def is_addressed(self) -> bool:
        """Whether it waits for requests of one kind instead of its place in the list."""
        return self.match is not None or self.role is not None


class Asked(NamedTuple):
    """What decides which turn answers: who asks, the last message, and what the harness says behind it."""

    role: str
    last: str
    harness: str | None = None


class ScriptModel:
    """Answers from its turns; one instance serves one run."""

    provider = "script"

    def __init__(
        self,
        turns: Sequence[ScriptTurn],
        name: str = "script",
        source: str = "the script",
        witness: Witness | None = None,
        replies: Iterable[Rule] = (),
        results: Recording | None = None,
        consents: Consents | None = None,
    ) -> None:
        self.name = name
        self.outside: Outside = ALONE
        # Of the scenario that it plays, and not its own to say: what its person answers, what its tools bring.
        self.replies, self.results, self.consents = tuple(replies), results or Recording(), consents
        self._turns = list(turns)
        self._used = [False] * len(self._turns)
        self._addressed = [place for place, turn in enumerate(self._turns) if turn.is_addressed]
        self._in_order = [place for place, turn in enumerate(self._turns) if not turn.is_addressed]
        self.unanswered: list[str] = []  # requests that no turn was left for, in words
        self._witness = witness or Witness("script", "", source)
        self._followed = Followed()

    def named(self, name: str) -> ScriptModel:
        """The same script under the name of another model: whichever of the two is asked takes the next turn."""
        other = copy(self)
        other.name = name
        return other

    @property
    def unasked(self) -> list[int]:
        """The turns, by their places, that nobody has asked for."""
        return [place for place, used in enumerate(self._used) if not used]

    def skip(self, asked: Iterable[Asked]) -> None:
        """Take the turns of these questions as given: a resumed run has had these answers already.

        It was interrupted already, too.
        """
        self._used[:] = [used or turn.interrupt for used, turn in zip(self._used, self._turns, strict=True)]
        for question in asked:
            place = self._choose(question)
            if place is not None:
                self._used[place] = True

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        last = request.transcript[-1].text if len(request.transcript) else ""
        place = self._choose(Asked(request.role, last, request.harness))
        if place is None:
            self.unanswered.append(self._exhausted(request))
            return self._witness.failure("invalid_request", self.unanswered[-1], retryable=False)
        self._used[place] = True
        turn = _cut(self._turns[place], request.max_output_tokens)
        left = turn.delay if request.deadline is None else min(turn.delay, max(0.0, request.deadline))
        if turn.interrupt:
            await self.outside.cut()
        if turn.said:
            self.outside.say(turn.said)
        if turn.delay:
            await self.outside.sleep(left)
        if left < turn.delay:
            return self._witness.failure("timeout", f"no whole answer within {request.deadline:g} s")
        if turn.error is not None:
            return self._failure(turn.error, turn.text)
        draft = Draft(listen)
        try:
            _play(turn, draft)
        except Cut:
            words = "the stream ended before the answer was finished"
            return self._witness.failure("connection", words, text=draft.shown)
        except Complained as problem:
            complaint = complaint_of(problem.decoded)
            return self._failure({"status": status_of(complaint), "message": complaint.message})
        except TooLarge as problem:
            return self._witness.failure("bad_response", str(problem), text=draft.shown)
        except Unreadable as problem:
            return self._witness.failure("bad_response", f"this is no answer: {problem}", retryable=problem.may_pass)
        followed = self._followed.to(request.transcript)
        reply = draft.reply(
            provider="script",
            model=self.name,
            origin="script",
            taken=followed.ids,
            position=request.transcript.position,
            sent=followed.size,
        )
        return self._witness.settle(reply)

    async def close(self) -> None:
        """Nothing is held."""

    def _choose(self, asked: Asked) -> int | None:
        """The first unused turn that is addressed to this question, else the first that is addressed to nobody.

        Where some turn names the request's role, those without a role are for the worker alone.
        """
        for place in self._addressed:
            if not self._used[place] and _fits(self._turns[place], asked):
                return place
        if asked.role != "worker" and any(turn.role == asked.role for turn in self._turns):
            return None
        return next((place for place in self._in_order if not self._used[place]), None)

    def _exhausted(self, request: ModelRequest) -> str:
        used, total = sum(self._used), len(self._turns)
        if used == total:
            return f"the script is exhausted: all of its {total} turns are used, and the {request.role} asks again"
        return f"the script has no turn left that fits this request of the {request.role} ({used} of {total} are used)"

    def _failure(self, error: Mapping[str, Any], text: str = "") -> Failure:
        """The failure that a turn tells of; `text` had come before."""
        status = error.get("status", 500)
        words = str(error.get("message") or "a scripted error")
        after = error.get("retry_after")
        if isinstance(status, str):
            category: FailureClass = msgspec.convert(status, FailureClass)
            retry_after = None if after is None else float(after)
            retryable = category in RETRYABLE
            return self._witness.failure(category, words, retryable=retryable, retry_after=retry_after, text=text)
        headers = {} if after is None else {"retry-after": str(after)}
        refusal = classify(status, complaint_of({"error": {**error, "message": words, "status": ""}}), headers)
        return self._witness.failure(
            refusal.category,
            words,
            retryable=refusal.retryable,
            status=status,
            retry_after=refusal.retry_after,
            text=text,
        )


def _cut(turn: ScriptTurn, most: int | None) -> ScriptTurn:
    """The turn as a model would give it that may write so many tokens; where the turn counts them itself, as it is."""
    if most is None or turn.raw is not None or not USAGE_OF_OUTPUT.isdisjoint(turn.usage):
        return turn
    written = turn.text + turn.reasoning + "".join(call.name + call.arguments for call in turn.tool_calls)
    if bytes_of(written) <= most * BYTES_PER_TOKEN:
        return turn
    text = turn.text.encode()[: most * BYTES_PER_TOKEN].decode(errors="ignore")
    return replace(turn, text=text, reasoning="", tool_calls=(), finish_reason="length")


def _play(turn: ScriptTurn, draft: Draft) -> None:
    """Say what the turn says, in pieces, as a stream would bring it."""
    if turn.raw is not None:
        read_body(turn.raw, ChatReader(draft))
        return
    draft.think(turn.reasoning)
    for piece in PIECE.findall(turn.text):
        draft.say(piece)
    for call in turn.tool_calls:
        draft.extend_call(draft.begin_call(), call_id=call.id, name=call.name, arguments=call.arguments)
    draft.usage = {USAGE.get(name, name): value for name, value in turn.usage.items()}
    draft.finish = turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop")


def _fits(turn: ScriptTurn, asked: Asked) -> bool:
    if turn.role is not None and turn.role != asked.role:
        return False
    if turn.match is None:
        return True
    pattern = re.compile(".*".join(re.escape(part) for part in turn.match.split("*")), re.DOTALL)
    return bool(pattern.fullmatch(asked.last)) or bool(asked.harness and pattern.fullmatch(asked.harness))
