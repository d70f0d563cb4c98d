"""consult: how a model is asked whether work is done: a stable beginning, a bounded packet, a strict verdict. Pure.

A judge sees no tools and no transcript. What it says in another form than was asked for is no verdict, and its own
failure never reads as consent unless the author said so.
"""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec.structs import replace

from agentspec.core.events import Consulted
from agentspec.core.facts import EvidenceFacts, Facts
from agentspec.core.limits.price import Price, price_of_question, prices_of
from agentspec.core.messages import Failure
from agentspec.core.models.patience import Patience, Tries, patience_with
from agentspec.core.models.replies import refuses_format
from agentspec.core.orders import Consultation
from agentspec.core.record import Record
from agentspec.spec.prompts import fill, wording
from agentspec.spec.settings import Settings

CLIP = 4_500  # characters of one piece of a packet, and the share of them that is its beginning
HEAD = 2 / 3
REPAIRS = 1
LONGEST = 20_000  # characters of a verdict, which is kept and told
_FENCE = re.compile(r"\A```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```\Z", re.DOTALL)

COMPLETION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["done", "continue"]},
        "detail": {"type": "string"},
        "gaps": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["verdict", "detail", "gaps"],
    "additionalProperties": False,
}
STEP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["pass", "revise"]},
        "detail": {"type": "string"},
    },
    "required": ["verdict", "detail"],
    "additionalProperties": False,
}
INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tripwire": {"type": "boolean"},
        "reason": {"type": "string"},
        "confidence": {"type": "number"},
    },
    "required": ["tripwire", "reason", "confidence"],
    "additionalProperties": False,
}


class Question(Record, frozen=True):
    """One question to a judge, from its first asking to its answer or failure.

    `is_open` from the first asking on; `answer` is its verdict once one could be read, `failure` why none will come
    and `timed_out` one kind of it. `unreadable` is the reply that has to be said again, and `problem` what is wrong
    with it. A provider that refuses the schema is asked without it from then on. `tries` are those after faults that
    pass.
    """

    is_open: bool = False
    answer: dict[str, Any] | None = None
    failure: str = ""
    timed_out: bool = False
    unreadable: str = ""
    problem: str = ""
    repairs: int = 0
    has_schema: bool = True
    tries: Tries = Tries()

    def closed(self) -> Question:
        """No question any more; what was learned of the provider stays."""
        return Question(has_schema=self.has_schema)

    def waited(self) -> Question:
        """The wait after a passing fault is over."""
        return replace(self, tries=self.tries.waited())


def heard(question: Question, event: Consulted, asked: Asked, run_id: str) -> Question:
    """The question after an answer to it."""
    if event.failure is not None:
        return _failed(question, event, event.failure, asked, run_id)
    text = event.reply.text if event.reply is not None else ""
    answer, problem = read_answer(text, asked.schema)
    if answer is not None:
        return replace(question, answer=answer, unreadable="", problem="")
    if question.repairs >= REPAIRS:
        return replace(question, failure=f"it gave no verdict that can be read: {problem}")
    return replace(question, unreadable=clip(text), problem=problem, repairs=question.repairs + 1, tries=Tries())


def _failed(question: Question, event: Consulted, failure: Failure, asked: Asked, run_id: str) -> Question:
    """A schema that is refused is left out, a fault that passes waited for; any other ends the question."""
    if question.has_schema and refuses_format(failure):
        return replace(question, has_schema=False)
    tries = question.tries.again(event, asked.patience, asked.timeout, run_id)
    if tries is not None:
        return replace(question, tries=tries, has_schema=question.has_schema and not breaks_over_schema(tries, failure))
    told = question.tries.ending(failure)
    return replace(question, failure=told.message, timed_out=told.category == "timeout")


def breaks_over_schema(tries: Tries, failure: Failure) -> bool:
    """Whether the next try goes without a schema: some servers answer 500 to one that they cannot take, each time."""
    return tries.faults > 1 and failure.category == "server_error"


def read_answer(text: str, schema: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The object of a judge's reply, or None and what is wrong. Only a code fence around it is forgiven.

    >>> read_answer('{"verdict": "Done", "detail": "", "gaps": []}', COMPLETION_SCHEMA)
    (None, '`verdict` must be `done` or `continue`')
    """
    body = text.strip()
    fenced = _FENCE.match(body)
    body = fenced[1].strip() if fenced is not None else body
    if not body:
        return None, "it is empty"
    if len(body) > LONGEST:
        return None, f"it is longer than {LONGEST} characters"
    try:
        value = json.loads(body, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        return None, str(error) if str(error).startswith("the key") else "it is not one JSON object"
    if not isinstance(value, dict):
        return None, "it is not one JSON object"
    problem = next(iter(_problems(value, schema)), None)
    return (value, "") if problem is None else (None, problem)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key `{name[:80]}` stands in it twice")
        found[name] = value
    return found


def _problems(value: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    fields: dict[str, dict[str, Any]] = schema["properties"]
    found = [f"`{name}` is missing" for name in fields if name not in value]
    found += [f"`{name[:80]}` is no key of it" for name in value if name not in fields]
    found += [words for name, form in fields.items() if name in value and (words := _misfit(name, value[name], form))]
    if not found and value.get("verdict") == "done" and value.get("gaps"):
        found.append('it says `"done"` and lists gaps')
    return found


def _misfit(name: str, value: Any, form: dict[str, Any]) -> str:
    match form:
        case {"enum": words}:
            return "" if isinstance(value, str) and value in words else f"`{name}` must be `{'` or `'.join(words)}`"
        case {"type": "string"}:
            return "" if isinstance(value, str) else f"`{name}` must be a text"
        case {"type": "boolean"}:
            return "" if isinstance(value, bool) else f"`{name}` must be `true` or `false`"
        case {"type": "number"}:
            is_share = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
            return "" if is_share else f"`{name}` must be a number from 0 to 1"
        case _:
            is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
            return "" if is_list else f"`{name}` must be a list of texts"


class Asked(Record, frozen=True):
    """How a judge is asked: its stable `system` text, the form of its verdict, and the time that it has, in seconds.

    A fault that passes is tried again within that time, as `patience` says, and then by those who stand in; `prices`
    are those of all of them.
    """

    asker: str
    system: str
    schema: dict[str, Any]
    timeout: float = 60.0
    max_output_tokens: int | None = None
    patience: Patience = Patience()
    repair: str = ""
    prices: dict[str, Price] = {}

    def price(self, question: Question) -> Price | None:
        """What asking now costs; None where nobody knows."""
        return price_of_question(self.prices, self.asker, question.tries.route)

    def consultation(self, question: Question, packet: str, now: float) -> Consultation:
        if question.unreadable or question.problem:
            again = fill(self.repair, problem=question.problem, reply=question.unreadable)
            packet = f"{packet}\n\n{again}"
        return Consultation(
            system=self.system,
            packet=packet,
            schema=self.schema if question.has_schema else None,
            timeout=question.tries.left(self.timeout, now),
            max_output_tokens=self.max_output_tokens,
            route=question.tries.route,
        )


def asked_of(asker: str, given: Any, prompt: str, schema: dict[str, Any], settings: Settings) -> Asked:
    """How the judge of these settings is asked (a mapping, or `true` for a judge that is all default)."""
    own = given if isinstance(given, dict) else {}
    system = str(own.get("system") or wording(settings, prompt)).strip()
    if own.get("rubric"):
        system = f"{system}\n\n# What to look at\n\n{str(own['rubric']).strip()}"
    timeout = own.get("operation_timeout")
    return Asked(
        asker=asker,
        system=system,
        schema=schema,
        timeout=60.0 if timeout is None else float(timeout),
        max_output_tokens=own.get("max_output_tokens"),
        patience=patience_with(settings, asker),
        repair=wording(settings, "judge.repair"),
        prices=prices_of(settings),
    )


def escalating(asked: Asked, settings: Settings) -> Asked:
    """The same judge, who says of every verdict whether a stronger model is needed, too."""
    schema = {
        **asked.schema,
        "properties": {**asked.schema["properties"], "escalate": {"type": "boolean"}},
        "required": [*asked.schema["required"], "escalate"],
    }
    return replace(asked, system=f"{asked.system}\n\n{wording(settings, 'judge.escalate').strip()}", schema=schema)


def packet_of(facts: Facts, name: str, text: str) -> str:
    """What a judge is shown: the task, the text `name` that is judged, and the evidence; each piece clipped."""
    evidence = facts.evidence
    pieces = [
        ("task", facts.task),
        (name, text),
        ("newest_change", evidence.mutation),
        ("newest_check", evidence.verification),
        ("newest_problem", evidence.problem),
    ]
    if evidence == EvidenceFacts(observation=evidence.observation):
        pieces.append(("newest_observation", evidence.observation))  # the fallback of work that only reads
    return "\n\n".join(tagged(tag, piece) for tag, piece in pieces if piece or tag in ("task", name))


def tagged(tag: str, text: str) -> str:
    """A piece between its tags; nothing in it can close them."""
    inside = clip(text).replace(f"</{tag}", f"< /{tag}")
    return f"<{tag}>\n{inside}\n</{tag}>"


def clip(text: str) -> str:
    """The beginning and the end of a long text, and how much was left out between them.

    >>> len(clip("x" * 10_000)) <= CLIP
    True
    """
    if len(text) <= CLIP:
        return text
    mark = f"\n[… {len(text) - CLIP} characters or more left out …]\n"
    room = CLIP - len(mark)
    head = int(room * HEAD)
    return text[:head] + mark + text[head - room :]
