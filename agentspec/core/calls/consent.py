"""consent: how a policy asks a person about one call, and what the answer is worth. Pure.

An answer is for the very arguments that were shown: it is bound to their hash, and is forgotten with the turn. A
question may have a time until which it can be answered; after it every answer is a no.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from agentspec.core.calls.canonical import call_key
from agentspec.core.events import Answered, Event
from agentspec.core.orders import PERSON, Note
from agentspec.core.policy import Notice, Ruled, TurnSettled
from agentspec.core.proposals import Act
from agentspec.core.record import Record
from agentspec.core.rulings import PASS, Hold, Refuse, Ruling

EXPIRES = "capability.approval.expires"
ALLOW, SESSION, DENY = "allow", "session", "deny"
LATE = "late"  # what becomes of an answer that came too late
DECISIONS = (ALLOW, SESSION, DENY)  # once, from now on, no


class Consents(Record, frozen=True):
    """What people said of the calls of this turn, by call and hash; `told` counts what the event stream heard."""

    answers: dict[str, str] = {}
    told: int = 0
    note: Note = Note(event="")

    def telling(self, event: str, **fields: Any) -> Consents:
        """The memory with something for the event stream to hear."""
        return replace(self, told=self.told + 1, note=Note(event=event, fields=fields))


def question(
    act: Act, *, rule: str, reason: str, effect: str, grants: tuple[str, ...] = (ALLOW, DENY), until: float | None
) -> Hold:
    """The ruling that asks a person about a call; `grants` are the answers that there are, `until` when they end."""
    limit = {} if until is None else {"until": until}
    return Hold(
        PERSON,
        {
            **limit,
            "what": "approval",
            "call_id": act.call.id,
            "name": act.call.name,
            "arguments": act.arguments,
            "hash": call_key(act.call.name, act.arguments),
            "rule": rule,
            "reason": reason,
            "effect": effect,
            "answers": list(grants),
        },
    )


def until(expires: float | None, now: float) -> float | None:
    """Until when a question that is asked now can be answered; None for ever."""
    return None if expires is None else now + expires


def observe(memory: Consents, event: Event | Notice, policy: str) -> Consents:
    """The memory after what happened, for the questions of this policy."""
    match event:
        case TurnSettled():
            return replace(memory, answers={}) if memory.answers else memory
        case Ruled(ruling=Hold(who="person", question=asked)) if event.policy == policy:
            return memory.telling("approval_requested", **asked)
        case Answered(who="person", asker=asker, question=asked, answer=answer) if asker == policy:
            return _answered(memory, asked, answer, event.at)
        case _:
            return memory


def _answered(memory: Consents, asked: Mapping[str, Any], answer: Any, at: float) -> Consents:
    """What nobody can read as a yes to this question, while it could be answered, is a no."""
    given = answer if isinstance(answer, Mapping) else {}
    decision = given.get("decision")
    if decision not in asked["answers"] or given.get("hash", asked["hash"]) != asked["hash"]:
        decision = DENY
    if at > asked.get("until", at):
        decision = LATE
    fields = {name: asked[name] for name in ("call_id", "name", "hash", "rule")}
    told = memory.telling("approval_decided", **fields, decision=decision, by=str(given.get("by", "")))
    return replace(told, answers=memory.answers | {_key(asked["call_id"], asked["hash"]): str(decision)})


def answer_to(memory: Consents, act: Act) -> str | None:
    """What a person said to this call with these arguments; None where nobody was asked."""
    return memory.answers.get(_key(act.call.id, call_key(act.call.name, act.arguments)))


def rule_on(memory: Consents, act: Act, hold: Hold) -> Ruling:
    """Ask, or obey the answer."""
    answer = answer_to(memory, act)
    if answer is None:
        return hold
    if answer == LATE:
        return too_late(act.call.name)
    return PASS if answer != DENY else refused_by_person(act.call.name)


def too_late(name: str) -> Refuse:
    """A question that nobody answered while it could be answered."""
    words = (
        f"nobody approved this call of `{name}` in time, so it was not made. The same call would be asked about again."
    )
    return Refuse(words, category="approval", retryable=True)


def refused_by_person(name: str) -> Refuse:
    """A person's no; unlike a rule's it is about this very call."""
    words = f"refused by a person: this call of `{name}` was not approved. A changed call would be asked about again."
    return Refuse(words, category="approval", retryable=True)


def notes(before: Consents, after: Consents) -> tuple[Note, ...]:
    """What the event stream hears of a change."""
    return (after.note,) if after.told != before.told else ()


def _key(call_id: str, digest: str) -> str:
    return f"{digest} {call_id}"
