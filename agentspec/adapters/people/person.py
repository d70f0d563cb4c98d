"""person: answers what only somebody outside may: from what was decided before, or by asking; else it stays open.

No answer is made up here: where nobody said anything, the answer is None, and the question waits.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from agentspec.adapters.outside import ALONE, Outside
from agentspec.adapters.people.consents import INTERRUPT, Consents
from agentspec.adapters.people.replies import Replies, Rule

Prompt: TypeAlias = Callable[[Mapping[str, Any]], "Awaitable[str | None] | str | None"]
"""Asks somebody about a call (`name`, `arguments`, `rule`, `reason`, `answers`); the answer is one of `answers`."""
OnQuestion: TypeAlias = Callable[[Mapping[str, Any]], "Awaitable[str | None] | str | None"]
"""Asks somebody a question of the model (`arguments` has `question` and `options`); None where nobody is there."""
OnTool: TypeAlias = Callable[[Mapping[str, Any]], "Awaitable[Any] | Any"]
"""Carries out a call (`name`, `arguments`, `call_id`) and gives its result; what it raises is the error of the call."""


ANY = ""  # stands for the only question that a run waits for


class Answers(NamedTuple):
    """What was answered before a run goes on, by the ids of calls: approvals, questions, results of external tools."""

    approvals: Mapping[str, str] = {}
    questions: Mapping[str, str] = {}
    results: Mapping[str, Any] = {}


NO_ANSWERS = Answers()


class Person:
    """Who is outside the run. `given` was answered before; `otherwise` is for all approvals: `ask`, `allow`, `deny`;
    `replies` are rules of a scenario that answer questions, `consents` those that answer approvals; `interrupt` is
    what somebody does who answers with that word.

    `prompt` and `on_question` ask where nothing was decided yet, one question at a time; `on_tool` carries calls out.
    An approval that could be answered until a time that is over is a no.
    """

    def __init__(
        self,
        otherwise: str = "ask",
        given: Answers = NO_ANSWERS,
        replies: Iterable[Rule] = (),
        *,
        prompt: Prompt | None = None,
        on_question: OnQuestion | None = None,
        on_tool: OnTool | None = None,
        consents: Consents | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._otherwise = otherwise
        self._approvals = dict(given.approvals)
        self._questions = dict(given.questions)
        self._results = dict(given.results)
        self._replies = Replies(replies)
        self._prompt = prompt
        self._on_question = on_question
        self._on_tool = on_tool
        self._consents = consents or Consents()
        self._now = now
        self.outside: Outside = ALONE
        self._turn = asyncio.Lock()

    @property
    def unasked(self) -> list[str]:
        """The questions that were answered before, and that nobody has asked."""
        return list(self._questions)

    async def answer(self, question: Any) -> dict[str, Any] | None:
        """The answer by what is asked; None where nobody is there.

        Of an approval `{"decision": …, "hash": …, "by": …}`, of all else `{"value": …}` or `{"error": …}`.
        """
        match question:
            case {"what": "approval"}:
                return await self._approve(question)
            case {"what": "question"}:
                return await self._reply(question)
            case {"what": "tool_result"}:
                return await self._carry_out(question)
            case _:
                return None

    async def _approve(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        decision, by = self._approvals.pop(question["call_id"], None), "resume"
        if decision is None and self._otherwise != "ask":
            decision, by = self._otherwise, "run"
        if decision is None:
            decision, by = self._consents.to(str(question["name"])), "script"
        if decision == INTERRUPT:
            await self.outside.cut()
        if decision is None and self._prompt is not None:
            decision, by = await self._ask(self._prompt, question), "person"
        if decision is None and self._now() > question.get("until", math.inf):
            decision, by = "deny", "time"
        return None if decision is None else {"decision": decision, "hash": question["hash"], "by": by}

    async def _reply(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        call_id = question["call_id"]
        said = self._questions.pop(call_id if call_id in self._questions else ANY, None)
        if said is None:
            said = self._replies.to(str(question["arguments"].get("question", "")))
        if said is None and self._on_question is not None:
            said = await self._ask(self._on_question, question)
        return None if said is None else {"value": str(said)}

    async def _carry_out(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        if question["call_id"] in self._results:
            return {"value": self._results.pop(question["call_id"])}
        if self._on_tool is None:
            return None
        try:
            found = self._on_tool(question)
            return {"value": await found if inspect.isawaitable(found) else found}
        except Exception as error:  # noqa: BLE001 - the caller's code may raise anything
            return {"error": f"{type(error).__name__}: {error}" if str(error) else type(error).__name__}

    async def _ask(self, prompt: Prompt, question: Mapping[str, Any]) -> str | None:
        async with self._turn:
            answer = prompt(question)
            return await answer if inspect.isawaitable(answer) else answer
