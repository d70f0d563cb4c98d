"""resume: go on with a run as its journal left it; no finished call is made again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Unpack

from agentspec.adapters.people.person import NO_ANSWERS, Answers
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.adapters.tools.programs.descendants import end_orphans
from agentspec.api.answers import answered, require_asked
from agentspec.api.assembly.assemble import Names
from agentspec.api.assembly.blueprint import Blueprint
from agentspec.api.assembly.journaled import blueprint_from, require_whole
from agentspec.api.assembly.models import Models, models_of
from agentspec.api.assembly.run_names import names_from
from agentspec.api.assembly.servers import prepare
from agentspec.api.assembly.today import bind, require_limits, taken_over
from agentspec.api.begin import begin
from agentspec.api.children import Children
from agentspec.api.kept import existing_store, first_record
from agentspec.api.options import Approve, ResumeKeywords, RunOptions, ToolOutcome, options_of, require_word
from agentspec.api.running import Part, Running, person_of
from agentspec.api.workspace import Workspace, workspace
from agentspec.core.events import AnyEvent, Resumed
from agentspec.core.messages import UserMessage
from agentspec.core.orders import CallModel, CallTool
from agentspec.errors import NotAllowed, NotFound
from agentspec.ports import Journal, JournalRecord, Respondent
from agentspec.runtime.result import Result
from agentspec.runtime.resume import in_flight, settle
from agentspec.syntax.written import RECORDING, require_free

GOES_ON = ("interrupted", "suspended")


async def resume(
    run_id: str,
    *,
    message: str | None = None,
    tool_outcome: ToolOutcome = "ask",
    approve: Approve | Mapping[str, str] = "ask",
    answers: Mapping[str, str] | None = None,
    tool_results: Mapping[str, Any] | None = None,
    project: str | os.PathLike[str] = ".",
    **options: Unpack[ResumeKeywords],
) -> Result:
    """Go on with a run that was interrupted or whose process died; no finished call is made again.

    `project` is the folder of its project, or one in it, beside whose spec the run is kept: without it the working
    directory counts, as for the program. `store="FOLDER"` names a store that is elsewhere, as in `run`; `trace`,
    `record`, `on_event` and `on_notice` are as in `run`, too. What the spec said, and its inputs, the run has kept.

    `tool_outcome` says what becomes of a call that may have acted when the process died: `rerun` makes it again,
    `assume_failed` takes it as failed, and with `ask` the model is told that nobody knows.

    `approve` answers the calls that the run waits for, by their ids in the result's handle (`{"call_1": "allow"}`), or
    all that a person would be asked (`"allow"`, `"deny"`). `answers` are replies to what the model asked with
    `ask_user`, and `tool_results` results of `external` tools, by those ids as well; a question that waits for another
    one of the same reply can be answered ahead. What nobody answers suspends the run again; `on_approval`,
    `on_question` and `on_tool` are asked before, as in `run`.

    `message` is said to the model in its next request; where the run has ended, it starts a new run of the same spec
    and session that knows the conversation so far.

    Raises `NotFound` where the store has no such run, `NotAllowed` where it has ended and there is no message,
    `LeaseLost` where another process drives it, `JournalError` where its journal can't be trusted.

    >>> import asyncio
    >>> from agentspec import resume, run_sync
    >>> ended = run_sync("examples/two-agents/team.agent#greeter")
    >>> try:
    ...     asyncio.run(resume(ended.run_id, project="examples/two-agents"))
    ... except NotAllowed as error:
    ...     print(str(error).replace(ended.run_id, "…"))
    the run `…` has ended: done (completed); a message would start a new run of its session
    """
    require_word("tool_outcome", tool_outcome)
    chosen = options_of("resume", options, ResumeKeywords.__annotations__)
    chosen, given = answered(chosen, approve, answers, tool_results)
    async with workspace() as shared:
        running = await reopen(run_id, Path(project), chosen, shared, lambda _: tool_outcome, message, given)
        return await running.go()


async def reopen(
    run_id: str,
    project: Path,
    options: RunOptions,
    shared: Workspace,
    ask: Callable[[CallTool], ToolOutcome],
    message: str | None = None,
    given: Answers = NO_ANSWERS,
) -> Running:
    """A run as its journal left it, ready to go on. `ask` says what becomes of a call whose outcome nobody knows.

    Raises `NotFound`, `NotAllowed` and `JournalError` as `resume` does.
    """
    if message is not None and not message.strip():
        raise NotAllowed("the message is empty")
    store = existing_store(options.store, project, shared)
    if options.record_path is not None:
        require_free(options.record_path, RECORDING)
    journal = store.open_run(run_id)
    try:
        records = journal.read()
        blueprint, names = _begun(records, run_id)
        require_whole(blueprint)
        changed = bind(blueprint)
        models, children = models_of(blueprint, shared), Children(shared, reopen_child)
        part = Part(person=person_of(options, models, given), call=children.call, pools=shared.pools)
        running = _prepared(blueprint, names, options, journal, models, store, part)
        children.parent = running
        running.fold(records)
        await children.recall(records)
        require_asked(run_id, running.plan, running.state, given)
        if _goes_on(running):
            require_limits(blueprint)
        elif message is None:
            raise NotAllowed(_over(running))
        for line in changed:
            options.notice(line)
        if message is not None and not _goes_on(running):
            journal.close()
            return await _follow(running, first_record(records, run_id).session_id, message, shared, store)
        end_orphans(run_id)  # before anything is repeated, or told to have stopped
        _take_up(running, ask, message)
        return running
    except BaseException:
        journal.close()
        raise


async def reopen_child(
    run_id: str,
    options: RunOptions,
    models: Models,
    store: SqliteStore,
    person: Respondent,
    ceiling: Mapping[str, Any] | None = None,
) -> Running | Result | None:
    """The run of an agent that was called: ready to go on, or its result where it has ended; None where it never began.

    Calls of it whose outcome nobody knows are told to it as such. `ceiling` is the one of now, where it is narrower.
    """
    try:
        journal = store.open_run(run_id)
    except NotFound:
        return None
    try:
        records = journal.read()
        if not records:
            journal.close()
            store.delete_run(run_id)
            return None
        blueprint, names = _begun(records, run_id)
        blueprint.ceiling = ceiling
        running = _prepared(blueprint, names, options, journal, models, store, Part(person=person))
        running.fold(records)
        if _goes_on(running):
            end_orphans(run_id)
            _take_up(running, lambda _: "ask", None)
            return running
        journal.close()
        return running.tally.result(running.state, wants_trace=False)
    except BaseException:
        journal.close()
        raise


def _begun(records: list[JournalRecord], run_id: str) -> tuple[Blueprint, Names]:
    """What a run began with."""
    started = first_record(records, run_id)
    blueprint = blueprint_from(started.plan)
    return blueprint, names_from(blueprint, started)


def _prepared(
    blueprint: Blueprint,
    names: Names,
    options: RunOptions,
    journal: Journal,
    models: Models,
    store: SqliteStore,
    part: Part,
) -> Running:
    servers = prepare(blueprint.settings, Path(blueprint.project), names, store.artifacts.put, options.notice)
    return Running(blueprint, names, options, journal, models, store, servers, part)


def _goes_on(running: Running) -> bool:
    outcome = running.state.outcome
    return outcome is None or outcome.status in GOES_ON


def _over(running: Running) -> str:
    outcome = running.state.outcome
    said = f"{outcome.status} ({outcome.reason})" if outcome is not None else ""
    return f"the run `{running.run_id}` has ended: {said}; a message would start a new run of its session"


async def _follow(ended: Running, session: str, message: str, shared: Workspace, store: SqliteStore) -> Running:
    """A new run of an ended run's spec and session, which begins with the conversation so far."""
    said = (*ended.state.transcript, UserMessage(text=message))
    blueprint = taken_over(ended.blueprint)
    models, children = models_of(blueprint, shared), Children(shared, reopen_child)
    part = Part(call=children.call, pools=shared.pools)
    running = await begin(blueprint, session, lambda _: message, lambda _: said, ended.options, models, store, part)
    children.parent = running
    return running


def _take_up(running: Running, ask: Callable[[CallTool], ToolOutcome], message: str | None) -> None:
    now = running.ports.clock.now()
    running.again, lost = in_flight(running.state)
    settled: list[AnyEvent] = []
    for order in lost:
        answer = ask(order)
        if answer == "rerun":
            running.again.append(order)
        else:
            settled.append(settle(order, now, assume_failed=answer == "assume_failed"))
    if message is not None:  # the message goes into the request, so the request is made anew
        running.again = [order for order in running.again if not isinstance(order, CallModel)]
    again = tuple(order.id for order in running.again)
    said = None if message is None else running.mask.text(message)
    running.first = [Resumed(at=now, reason="resume", reissued=again, message=said), *settled]
