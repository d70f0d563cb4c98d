"""The promise to users in types: this file is checked by mypy, strictly, and says which type each public name gives.

It is never run. A change of a public signature shows here first.
"""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, assert_type

import agentspec
from agentspec import (
    AgentSpecError,
    Diagnostic,
    JournalError,
    Replay,
    Report,
    Result,
    RunOptions,
    Spec,
    SpecInvalid,
    check,
    load,
    replay,
    resume,
    run,
    run_sync,
    stream,
)
from agentspec.ports import Clock, Delta, Failure, Invocation, Model, ModelRequest, Output, Reply, Tool
from agentspec.testing import FunctionTool, JumpingClock, Kernel, ListModel, World, call, plan_for, tool


def specs() -> None:
    spec = load("triage.yaml", sets=["execution.max_iterations=3"], inputs={"folder": "inbox"}, model="openai:m")
    assert_type(spec, Spec)
    assert_type(load(Path("team.agent"), name="greeter"), Spec)
    assert_type(spec.name, str)
    assert_type(spec.diagnostics, list[Diagnostic])
    assert_type(spec.inputs(), dict[str, Any])
    report = check("specs", Path("triage.yaml"), select=["AS5"], ignore=["AS902"])
    assert_type(report, Report)
    assert_type(report.exit_code(), int)
    for found in report.diagnostics:
        assert_type(found.code, str)
        assert_type(found.help, str | None)


async def runs(spec: Spec) -> None:
    assert_type(await run(spec, "Sort the reports.", model="openai:m", trace=True), Result)
    result = run_sync("triage.yaml")
    assert_type(result, Result)
    assert_type(result.status, str)
    assert_type(result.text, str)
    assert_type(result.tools.calls, list[str])
    assert_type(result.llm.cost_usd, float | None)
    assert_type(result.is_done, bool)
    assert_type(result.as_json(), dict[str, Any])
    assert_type(await resume(result.run_id, tool_outcome="rerun", project=Path()), Result)
    assert_type(await replay(result.run_id), Replay)
    assert_type((await replay(result.run_id)).steps, int)
    events = stream(spec)
    assert_type(events, AsyncIterator[dict[str, Any]])
    async for event in events:
        assert_type(event, dict[str, Any])
    assert_type(RunOptions(inputs={"folder": "inbox"}).model, str | None)


def errors() -> None:
    try:
        run_sync("triage.yaml")
    except SpecInvalid as invalid:
        assert_type(invalid.diagnostics, tuple[Diagnostic, ...])
    except JournalError as failed:
        error: AgentSpecError = failed
        raise error from None
    assert_type(agentspec.__version__, str)


class Echo:
    """A model of one's own: what has these names is a `Model`."""

    provider = "mine"
    name = "echo"

    async def answer(self, request: ModelRequest, listen: Callable[[Delta], None] | None) -> Reply | Failure:
        return Reply(text=request.harness or "")

    async def close(self) -> None: ...


class Shout:
    """A tool of one's own."""

    async def call(self, invocation: Invocation) -> Output:
        return Output(text=str(invocation.arguments["text"]).upper())

    async def close(self) -> None: ...


def adapters() -> None:
    models: list[Model] = [Echo(), ListModel(Reply(text="hi"))]
    tools: list[Tool] = [Shout(), FunctionTool(str.upper)]
    clock: Clock = JumpingClock()
    assert models
    assert tools
    assert clock


async def tests_of_ones_own() -> None:
    plan = plan_for({"execution": {"max_iterations": 2}}, tool("look"))
    kernel = Kernel(plan)
    kernel.start("What is there?")
    kernel.reply("", call("look"))
    assert_type(kernel.outcome.status, str)
    assert_type(await World(plan, ListModel(Reply(text="hi"))).run("What is there?"), Result)
