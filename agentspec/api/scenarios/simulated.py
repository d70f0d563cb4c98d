"""simulated: the person of a scenario: ordered rules, or an agent with a script of its own. No network is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentspec.adapters.people.consents import INTERRUPT, Consents
from agentspec.adapters.people.replies import Replies, rule_of
from agentspec.api.options import RunOptions
from agentspec.api.running import Running
from agentspec.api.scenarios.stage import perform
from agentspec.api.spec import Spec, load
from agentspec.compose.documents import looks_like_file
from agentspec.errors import AgentSpecError

MOST_REPLIES = 100
ABORTS = {"stop": "user", "interrupt": "signal"}  # who ends the run, by the action


class SimulatedUser:
    """Answers the questions of one run; `problem` is why the scenario fails whatever comes out, where it does."""

    def __init__(self, user: Any, scenario: Path, store: Path) -> None:
        given: Mapping[str, Any] = user if isinstance(user, Mapping) else {"replies": user or []}
        self.problem = ""
        self.unanswered: list[str] = []  # questions that no rule matches, in words
        self._run: Running | None = None
        self._replies = Replies(rule_of(rule) for rule in given.get("replies") or () if isinstance(rule, Mapping))
        self._most = given.get("max_replies") or MOST_REPLIES
        self._most_calls = given.get("max_llm_calls")
        self._agent = _agent(given["agent"], scenario) if given.get("agent") else None
        self._store = store
        self._session: str | None = None
        self._count = self._calls = 0

    def meet(self, running: Running) -> None:
        """Be the person of this run."""
        self._run = running

    async def answer(self, question: Mapping[str, Any]) -> str | None:
        """The answer to what the model asks; None where nobody answers any more."""
        asked = str(question.get("arguments", {}).get("question", ""))
        self._count += 1
        if self._count > self._most:
            self.problem = f"the person was asked more often than {self._most} times (`user.max_replies`)"
            return None
        return await (self._by_rule(asked) if self._agent is None else self._by_agent(self._agent, asked))

    async def _by_rule(self, asked: str) -> str | None:
        rule = self._replies.rule_for(asked)
        if rule is None:
            self.unanswered.append(f"no rule matches the question `{asked}`")
            return None
        if rule.action == "fail":
            self.problem = f"the person was asked what may not be asked: `{asked}`"
        if rule.action in ABORTS:
            await self._abort(ABORTS[rule.action])
        return rule.reply

    def unasked(self) -> Iterator[str]:
        """The rules that no question has matched, in words: that may be why a scenario has failed."""
        if self._agent is None:
            yield from (f"no question matched `{pattern}`" for pattern in self._replies.unused)

    async def consent(self, consents: Consents, question: Mapping[str, Any]) -> str | None:
        """What is said to a call that is to be approved."""
        decision = consents.to(str(question["name"]))
        if decision == INTERRUPT:
            await self._abort(ABORTS[INTERRUPT])
        return decision

    async def _abort(self, by: str) -> None:
        assert self._run is not None
        self._run.abort(by)
        await asyncio.Future()  # the run, which ends, waits for no answer

    async def _by_agent(self, agent: Spec, asked: str) -> str | None:
        options = RunOptions(store=self._store, session=self._session, offline=True)
        try:
            result = (await perform(agent, asked, options)).result
        except AgentSpecError as problem:
            self.problem = f"the person's agent can't run: {problem}"
            return None
        self._session = result.session_id
        self._calls += result.llm.provider_calls
        if self._most_calls is not None and self._calls > self._most_calls:
            self.problem = f"the person's agent made more than {self._most_calls} calls (`user.max_llm_calls`)"
            return None
        if result.status != "done":
            self.problem = f"the person's agent ended {result.status} ({result.stop_reason})"
            return None
        return result.text


def _agent(reference: str, scenario: Path) -> Spec:
    spec = load(str(scenario.parent / reference) if looks_like_file(reference) else f"{scenario}#{reference}")
    spec.require_runnable()
    return spec
