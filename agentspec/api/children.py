"""children: the runs of agents that a run calls: each with its own journal, on the pots of its parent, with one result.

A child's run is named after its call, so that a parent that goes on goes on with its children as well, and none of
them is begun twice. A child ends with the call that began it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.api.assembly.assemble import Names, filled_in
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.called import LENT
from agentspec.api.assembly.journaled import blueprint_from
from agentspec.api.assembly.models import Models, models_of
from agentspec.api.assembly.opening import opening_of
from agentspec.api.begin import begin
from agentspec.api.options import RunOptions
from agentspec.api.running import Part, Running
from agentspec.api.workspace import Workspace
from agentspec.core.calls.cap import encodable
from agentspec.core.events import ToolReturned
from agentspec.core.facts import LeftFacts
from agentspec.core.messages import ToolError, Used
from agentspec.core.schema.components import with_components
from agentspec.core.schema.shorthand import lower
from agentspec.core.schema.validate import compile_schema
from agentspec.core.stepping.wants import open_questions
from agentspec.errors import AgentSpecError
from agentspec.ports import Invocation, JournalRecord, Output, Respondent
from agentspec.runtime.journal import decode
from agentspec.runtime.pots import Pots
from agentspec.runtime.result import Result

SHARED = ("tokens", "cost_usd", "tool_calls", "provider_calls")


class Reopen(Protocol):
    """Stands a run where its journal stands: ready to go on, with its result where it has ended, None where it never
    began."""

    async def __call__(
        self,
        run_id: str,
        options: RunOptions,
        models: Models,
        store: SqliteStore,
        person: Respondent,
        ceiling: Mapping[str, Any] | None = None,
    ) -> Running | Result | None: ...


class Children:
    """The children of one run; `parent` is set when it is made, before it goes."""

    def __init__(self, shared: Workspace, reopen: Reopen) -> None:
        self.parent: Running | None = None
        self._shared = shared
        self._reopen = reopen
        self._pots = Pots()
        self._going = 0
        self._alone = asyncio.Lock()

    async def call(self, name: str, invocation: Invocation) -> Output:
        """Run the agent of a tool on a call, or go on with its run; what goes wrong is an output with an error."""
        left = self._of_parent().driver.state.facts.left
        if left.tool_calls is None and left.provider_calls is None:
            return await self._call(name, invocation)
        async with self._alone:  # calls can't be divided before they are made: one child at a time counts them
            return await self._call(name, invocation)

    async def recall(self, records: Iterable[JournalRecord]) -> None:
        """Let models that are lent to children know of what they answered children that have ended."""
        parent = self._of_parent()
        for record in records if any(kept[LENT] for kept in parent.blueprint.agents.values()) else ():
            body = decode(record)
            if isinstance(body, ToolReturned) and body.result.used is not None and self._is_lent(body.call.name):
                models = Models(parent.models.lent(), {})
                await self._reopen(str(body.result.data["run_id"]), RunOptions(), models, parent.store, parent.person)

    def _is_lent(self, name: str) -> bool:
        return self._of_parent().blueprint.agents.get(name, {}).get(LENT) is True

    async def _call(self, name: str, invocation: Invocation) -> Output:
        parent = self._of_parent()
        left = parent.driver.state.facts.left
        if not self._going:  # what all of them draw on: none of it is the parent's while it waits
            self._pots = Pots(left.tokens, left.cost_usd)
        self._going += 1
        try:
            opened = await self._open(name, invocation, left)
            result = opened if isinstance(opened, Result) else await self._driven(opened, left)
            questions = [] if isinstance(opened, Result) else self._questions(name, invocation, opened)
            return self._output(name, result, questions)
        except AgentSpecError as problem:
            return Output(status="error", error=ToolError(category="agent", message=str(problem)[:2000]))
        finally:
            self._going -= 1

    def _of_parent(self) -> Running:
        assert self.parent is not None
        return self.parent

    async def _open(self, name: str, invocation: Invocation, left: LeftFacts) -> Running | Result:
        parent = self._of_parent()
        run_id = f"{parent.run_id}.{invocation.key[:8]}"
        kept = parent.blueprint.agents[name]
        blueprint = _called_with(blueprint_from(kept), invocation, left)
        models = models_of(blueprint, self._shared)
        if kept[LENT]:
            models = models._replace(routes=parent.models.lent())
        options = self._options(name, invocation)
        relay = Relay(parent.person, invocation.call_id, name)
        opened = await self._reopen(run_id, options, models, parent.store, relay, blueprint.ceiling)
        return opened or await self._begin(run_id, blueprint, invocation, options, models, relay)

    async def _begin(
        self,
        run_id: str,
        blueprint: Blueprint,
        invocation: Invocation,
        options: RunOptions,
        models: Models,
        person: Respondent,
    ) -> Running:
        parent, given = self._of_parent(), invocation.arguments

        def task(names: Names) -> str:
            own = blueprint.values.get("task")
            said = given["task"] if "task" in given else filled_in(str(own), names, "task")
            return encodable("\n\n".join(filter(None, (said, given.get("context")))))

        return await begin(
            blueprint,
            run_id,
            task,
            lambda names: opening_of(blueprint, names, parent.store.artifacts.put, options.notice),
            options,
            models,
            parent.store,
            Part(
                run_id,
                parent.run_id,
                person,
                lender=parent.servers,
                pools=self._shared.pools,
                outside=parent.outside._replace(sleep=asyncio.sleep),
            ),
        )

    def _options(self, name: str, invocation: Invocation) -> RunOptions:
        """Whoever listens to the parent hears its child, and whose call it works for."""
        parent = self._of_parent()
        about = {"run_id": parent.run_id, "seq": None, "kind": "worker", "call_id": invocation.call_id, "name": name}

        def hear(event: dict[str, Any]) -> None:
            for listener in parent.listeners:
                listener({**about, "ts": event["ts"], "event": event})

        heard = hear if parent.listeners else None
        return RunOptions(on_event=heard, on_notice=parent.options.on_notice, offline=parent.options.offline)

    async def _driven(self, child: Running, left: LeftFacts) -> Result:
        """Let the child go to its end; where its call is called back, it is stopped for good, and nothing is left."""
        if left.tokens is not None or left.cost_usd is not None:
            child.share(self._pots)
        going = asyncio.create_task(child.go())
        try:
            return await asyncio.shield(going)
        except asyncio.CancelledError:
            child.abort("parent")
            with suppress(AgentSpecError):
                self._of_parent().tally.spending.take_used(
                    used_of(await going)
                )  # no result of the call will tell of it
            raise

    def _questions(self, name: str, invocation: Invocation, child: Running) -> list[dict[str, Any]]:
        """What the child waits for, under the name of the call that it works for."""
        about = {"agent": name, "run_id": child.run_id}
        return [{**_under(invocation.call_id, question), **about} for question in open_questions(child.state)]

    def _output(self, name: str, result: Result, questions: list[dict[str, Any]]) -> Output:
        if result.status == "suspended":
            return Output(status="waiting", data=questions)
        envelope = envelope_of(result)
        error = None if result.is_done else _ended(name, result)
        if error is None:
            error, envelope["data"] = self._checked(name, result)
        if error is not None:
            envelope |= {"ok": False, "error": {"category": error.category, "message": error.message}}
        return Output(text=result.text, data=envelope, error=error, used=used_of(result))

    def _checked(self, name: str, result: Result) -> tuple[ToolError | None, Any]:
        """The result as a value, held against the `returns` of the tool."""
        settings = self._of_parent().blueprint.settings
        returns = settings.get("capability.tools")[name].get("returns")
        if returns is None:
            return None, result.output
        schema = with_components(lower(returns), settings.get("capability.components"))
        value = result.output if result.output is not None else _value(result.text, schema)
        problems = compile_schema(schema, noun="key").check(value)
        if not problems:
            return None, value
        words = f"the result of `{name}` is not what `returns` says: {'; '.join(problems)}"
        return ToolError(category="result", message=words), value


class Relay:
    """Asks those outside of a parent what its child asks, under the name of the call that the child works for."""

    def __init__(self, person: Respondent, call_id: str, agent: str) -> None:
        self._person = person
        self._call_id = call_id
        self._agent = agent

    async def answer(self, question: Any) -> Any:
        return await self._person.answer({**_under(self._call_id, question), "agent": self._agent})


def _under(call_id: str, question: Mapping[str, Any]) -> dict[str, Any]:
    return {**question, "call_id": f"{call_id}/{question['call_id']}"}


def _called_with(blueprint: Blueprint, invocation: Invocation, left: LeftFacts) -> Blueprint:
    """The blueprint of one call: with its arguments as inputs, and no bound wider than what its parent has left."""
    given = {name: value for name, value in invocation.arguments.items() if name not in ("task", "context")}
    blueprint.inputs = {**blueprint.inputs, **given}
    execution = dict(blueprint.values.get("execution") or {})
    limits = dict(execution.get("limits") or {})
    bounds: dict[str, Any] = {name: getattr(left, name) for name in SHARED}
    bounds["wall_clock"] = None if left.deadline is None else max(0.0, left.deadline - invocation.at)
    for name, bound in bounds.items():
        if bound is not None:
            limits[name] = bound if limits.get(name) is None else min(bound, limits[name])
    blueprint.values["execution"] = {**execution, "limits": limits}
    return blueprint


def envelope_of(result: Result) -> dict[str, Any]:
    """The one thing that a parent learns of its child."""
    present = (result.declared_artifacts or {}).get("present") or []
    return {
        "ok": result.is_done,
        "summary": result.text,
        "data": None,
        "artifacts": list(present),
        "tokens_used": result.llm.input_tokens + result.llm.output_tokens,
        "cost_usd": result.llm.cost_usd,
        "budget_exceeded": result.status == "budget_exhausted",
        "run_id": result.run_id,
        "error": None,
    }


def used_of(result: Result) -> Used:
    llm = result.llm
    return Used(
        input_tokens=llm.input_tokens,
        output_tokens=llm.output_tokens,
        cached_input_tokens=llm.cached_input_tokens,
        reasoning_tokens=llm.reasoning_tokens,
        estimated=llm.usage_estimated,
        cost_usd=llm.cost_usd,
        provider_calls=llm.provider_calls,
        judge_calls=llm.judge_calls,
        tool_calls=len(result.tools.calls),
    )


def _ended(name: str, result: Result) -> ToolError:
    why = result.error.message if result.error is not None else ""
    words = f"the agent `{name}` ended {result.status} ({result.stop_reason})" + (f": {why}" if why else "")
    return ToolError(category=result.status, message=words)


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """A text as the value that is asked for: as it is where a text is, else its JSON, else nothing that fits."""
    if schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
