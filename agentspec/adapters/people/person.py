"""person: answers what only a human being may decide: from what was decided before, or by asking; else it stays open.

No answer is made up here: where nobody said anything, the answer is None, and the question waits.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

Prompt: TypeAlias = Callable[[Mapping[str, Any]], "Awaitable[str | None] | str | None"]
"""Asks somebody about a call (`name`, `arguments`, `rule`, `reason`, `answers`); the answer is one of `answers`."""


class Person:
    """Somebody who approves calls. `decisions` are by call id, `otherwise` is for all others: `ask`, `allow`, `deny`.

    `prompt` asks where nothing was decided yet, one question at a time.
    """

    def __init__(
        self, otherwise: str = "ask", decisions: Mapping[str, str] | None = None, prompt: Prompt | None = None
    ) -> None:
        self._otherwise = otherwise
        self._decisions = dict(decisions or {})
        self._prompt = prompt
        self._turn = asyncio.Lock()

    async def answer(self, question: Any) -> dict[str, Any] | None:
        """`{"decision": …, "hash": …, "by": …}`, or None where nobody is there."""
        if not isinstance(question, Mapping) or question.get("what") != "approval":
            return None
        decision, by = self._decisions.pop(question["call_id"], None), "resume"
        if decision is None and self._otherwise != "ask":
            decision, by = self._otherwise, "run"
        if decision is None and self._prompt is not None:
            decision, by = await self._ask(self._prompt, question), "person"
        return None if decision is None else {"decision": decision, "hash": question["hash"], "by": by}

    async def _ask(self, prompt: Prompt, question: Mapping[str, Any]) -> str | None:
        async with self._turn:
            answer = prompt(question)
            return await answer if inspect.isawaitable(answer) else answer
