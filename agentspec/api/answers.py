"""answers: what people and programs answer a run that waits for them, before it goes on. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from agentspec.adapters.people.person import ANY, Answers
from agentspec.api.options import Approve, RunOptions, require_word
from agentspec.core.calls.consent import DECISIONS
from agentspec.core.plan import Plan
from agentspec.core.state import State
from agentspec.core.stepping.wants import open_questions
from agentspec.errors import NotAllowed


class Way(NamedTuple):
    """How an answer is given: the field of `Answers` that holds it, and the option of the program."""

    field: str
    option: str


WAYS = {
    "approval": Way("approvals", "--approve"),
    "question": Way("questions", "--answer"),
    "tool_result": Way("results", "--tool-result"),
}


def answered(
    options: RunOptions,
    approve: Approve | Mapping[str, str],
    answers: Mapping[str, str] | None = None,
    tool_results: Mapping[str, Any] | None = None,
) -> tuple[RunOptions, Answers]:
    """The options with one word for all approvals, and what was answered by calls.

    Raises `NotAllowed` for a word that is no answer.
    """
    questions, results = answers or {}, tool_results or {}
    if isinstance(approve, str):
        require_word("approve", approve)
        return replace(options, approve=approve), Answers(questions=questions, results=results)
    for call_id, decision in approve.items():
        if decision not in DECISIONS:
            raise NotAllowed(f"`{call_id}` can't be answered with `{decision}`: it is `allow`, `session` or `deny`")
    return options, Answers(approve, questions, results)


def require_asked(run_id: str, plan: Plan, state: State, given: Answers) -> None:
    """Raise `NotAllowed` where a call is answered that the run does not wait for, or not in this way or word.

    Questions that stand behind others in the same reply can be answered ahead, before they are asked.
    """
    ahead = {"questions": set(_to_be_asked(plan, state))}
    waiting = {str(question["call_id"]): WAYS[question["what"]] for question in open_questions(state)}
    for question in open_questions(state):
        decision = given.approvals.get(str(question["call_id"]))
        if question["what"] == "approval" and decision is not None and decision not in question["answers"]:
            raise NotAllowed(
                f"`{question['call_id']}` can't be answered with `{decision}`: it is {_either(question['answers'])}; "
                "only what `permissions` refuse can be granted for the `session`"
            )
    for field in Answers._fields:
        mine = [call_id for call_id, way in waiting.items() if way.field == field]
        known = {*mine, ANY} if mine else set()
        for call_id in getattr(given, field):
            if call_id == ANY and len(mine) > 1:
                raise NotAllowed(f"the run `{run_id}` waits for several answers: name the call, one of {_list(mine)}")
            if call_id not in known and call_id not in ahead.get(field, ()):
                what = _list(mine) if mine else _others(waiting)
                raise NotAllowed(f"the run `{run_id}` does not wait for {_named(call_id)}: it waits for {what}")


def _to_be_asked(plan: Plan, state: State) -> Iterator[str]:
    """The questions to the person that the model has put, and that wait for others."""
    for slot in state.batch:
        tool = plan.tools.get(slot.call.name)
        asks = tool is not None and tool.effect == "terminal" and "question" in (slot.arguments or {})
        if asks and slot.is_open:
            yield slot.call.id


def _named(call_id: str) -> str:
    return "an answer" if call_id == ANY else f"`{call_id}`"


def _either(words: Sequence[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)


def _list(call_ids: Iterable[str]) -> str:
    return ", ".join(f"`{call_id}`" for call_id in call_ids)


def _others(waiting: Mapping[str, Way]) -> str:
    return ", ".join(f"`{call_id}` (`{way.option}`)" for call_id, way in waiting.items()) or "no answer"
