"""run: one run of a spec, from its start or from its journal, to its result."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentspec.adapters.clock import SystemClock
from agentspec.adapters.models.registry import make_model
from agentspec.adapters.models.script import ScriptModel
from agentspec.adapters.stores.sqlite import SqliteStore
from agentspec.adapters.tools.descendants import end_orphans
from agentspec.api.assemble import Names, equip, model_settings, require_folders, system_prompt
from agentspec.api.blueprint import WRITTEN_BY, Blueprint, blueprint_from, blueprint_of, require_whole
from agentspec.api.guards import require_enforceable
from agentspec.api.options import RunOptions, ToolOutcome
from agentspec.api.record import require_writable, write_scenario
from agentspec.api.secrets import mask_for
from agentspec.api.spec import Spec, load
from agentspec.api.workspace import Workspace, workspace
from agentspec.compose.project import project_folder, project_mark, state_folder
from agentspec.core.cap import encodable
from agentspec.core.events import AnyEvent, Resumed, RunStarted
from agentspec.core.messages import Message, SystemMessage, UserMessage
from agentspec.core.orders import CallModel, CallTool
from agentspec.core.step import initial
from agentspec.errors import JournalError, NotAllowed, NotFound
from agentspec.link import link
from agentspec.ports import Journal, JournalRecord, Model
from agentspec.runtime.drive import Driver
from agentspec.runtime.journal import decode, require_format
from agentspec.runtime.perform import Performer, Ports
from agentspec.runtime.result import Result, Tally
from agentspec.runtime.resume import InFlight, compare, decisions, fold, in_flight, settle
from agentspec.runtime.stream import Stream

DATABASE = "runs.db"
GOES_ON = ("interrupted", "suspended")


class Running:
    """A run that is going on: it can be told to stop, and waited for."""

    def __init__(
        self,
        blueprint: Blueprint,
        names: Names,
        options: RunOptions,
        journal: Journal,
        model: Model,
        store: SqliteStore,
    ) -> None:
        settings = blueprint.settings
        project = Path(blueprint.project)
        require_folders(settings, project)
        equipment = equip(settings, project)
        require_enforceable(settings, equipment.plans)
        self.blueprint = blueprint
        self.journal = journal
        self.kept_in = store.path.parent
        self.run_id = journal.run_id
        self.options = options
        self.plan = link(settings, equipment.plans, name=blueprint.name, spec_hash=blueprint.spec_hash)
        self.model = model
        self.source = blueprint.name  # the spec as it was named
        self.ports = Ports(
            model=self.model,
            tools=equipment.tools,
            clock=SystemClock(),
            journal=journal,
            artifacts=store.artifacts,
            names=names,
        )
        self.listeners = (options.on_event,) if options.on_event is not None else ()
        self.stream = Stream(self.run_id, self.listeners)
        self.tally = Tally()
        listen = (lambda delta: self.stream.live(delta, self.ports.clock.now())) if self.listeners else None
        result_max = settings.size("execution.tool_result_max") or 65536
        performer = Performer(self.plan, self.ports, result_max, listen, mask_for(settings, os.environ))
        self.driver = Driver(self.plan, self.ports, performer, self.stream, self.tally)
        self.state = initial(self.plan)
        self.first: list[AnyEvent] = []  # the events that set the run going
        self.again: list[InFlight] = []  # orders that an earlier process left without an answer

    def fold(self, records: list[JournalRecord]) -> None:
        """Stand where the journal stands. Nobody hears of it: what is in the journal was heard when it happened."""
        self.stream.listeners = ()
        self.state = fold(self.plan, records, self.tally, self.stream)
        self.stream.listeners = self.listeners
        if isinstance(self.model, ScriptModel):
            self.model.skip(self.tally.answers)

    def _record(self, path: Path, result: Result) -> None:
        try:
            write_scenario(path, self.source, self.journal.read(), result)
        except OSError as error:
            self.options.notice(f"the run was not recorded: can't write `{path}`: {error.strerror}")

    def abort(self, by: str = "signal") -> None:
        """Stop now: running tools are stopped, the journal is closed whole; `signal` leaves a run to be resumed."""
        self.driver.abort(by)

    async def go(self) -> Result:
        """Drive the run to its end. Raises `JournalError` where the store fails; the run can then be resumed."""
        try:
            self.state = await self.driver.drive(self.state, self.first, self.again)
            result = self.tally.result(self.state, wants_trace=self.options.trace)
            if result.status != "done" and not self.options.trace:
                result.trace = self.tally.trace
            with contextlib.suppress(JournalError):  # the run is over and whole; this line can be derived again
                self.journal.describe({"llm": result.as_json()["llm"]})
            if self.options.record is not None:
                self._record(self.options.record, result)
            return result
        finally:
            try:
                await self.model.close()
                for tool in self.ports.tools.values():
                    await tool.close()
            finally:
                self.journal.close()


def start(spec: Spec, task: str, options: RunOptions, shared: Workspace) -> Running:
    """Make a run, ready to go. Raises `SpecInvalid`, `Unavailable` or `NotAllowed` before anything is written."""
    blueprint = blueprint_of(spec, options)
    model = model_of(blueprint, shared)
    for line in (*blueprint.settle_model(model), *spec.pending_keys(), *_moved(spec)):
        options.notice(line)
    if options.record is not None:
        require_writable(options.record)
    store = shared.store(_home(options.store, spec.project) / DATABASE)
    task = encodable(task)

    def opening(names: Names) -> tuple[Message, ...]:
        system = system_prompt(blueprint.settings, names, spec.project)
        return (UserMessage(text=task),) if system is None else (SystemMessage(text=system), UserMessage(text=task))

    running = _begin(blueprint, options.session, task, opening, options, model, store)
    running.source = spec.path
    return running


def _moved(spec: Spec) -> Iterator[str]:
    """A line where the project is not the spec's own folder: nothing in the spec tells so, and paths begin there."""
    reason = project_mark(spec.project)
    if reason is not None and spec.project != spec.folder:
        yield f"the project is `{spec.project}`, which holds `{reason}`: paths of the spec and the store begin there"


def model_of(blueprint: Blueprint, shared: Workspace) -> Model:
    return make_model(model_settings(blueprint.settings), os.environ, shared.client, Path(blueprint.project))


def _begin(
    blueprint: Blueprint,
    session: str | None,
    task: str,
    opening: Callable[[Names], tuple[Message, ...]],
    options: RunOptions,
    model: Model,
    store: SqliteStore,
) -> Running:
    run_id = new_run_id()
    session_id = encodable(session or run_id)
    now = time.time()
    names = _names(blueprint, run_id, session_id, task, now)
    mask = mask_for(blueprint.settings, os.environ)
    event = RunStarted(
        at=now,
        run_id=run_id,
        session_id=session_id,
        opening=mask.opening(opening(names)),
        spec_name=blueprint.name,
        spec_hash=blueprint.spec_hash,
        plan=mask.value(blueprint.as_json()),
    )
    journal = store.create_run(run_id, {"spec": blueprint.name, "session_id": session_id, "started_at": now})
    try:
        running = Running(blueprint, names, options, journal, model, store)
        running.first = [event]
        return running
    except BaseException:
        journal.close()
        store.delete_run(run_id)
        raise


async def run(spec: Spec | str | os.PathLike[str], task: str | None = None, **options: Any) -> Result:
    """Run a spec on a task and return its result, whatever the end; `options` are the fields of `RunOptions`.

    Raises `SpecInvalid` (with every finding) where the spec has errors, `NotFound` where there is no such file,
    `Unavailable` where a provider or its key is missing: then nothing was started. Raises `JournalError` where the
    store fails while the run goes on. If the awaiting task is cancelled, the run ends `interrupted` and can be resumed.

    >>> import asyncio
    >>> result = asyncio.run(run("examples/first-look/first-look.yaml"))
    >>> result.status
    'done'
    """
    chosen = RunOptions(**options)
    loaded = as_spec(spec, chosen)
    async with workspace() as shared:
        return await start(loaded, task_of(loaded, task), chosen, shared).go()


def run_sync(spec: Spec | str | os.PathLike[str], task: str | None = None, **options: Any) -> Result:
    """`run`, for programs without an event loop. Raises `NotAllowed` where one is running.

    >>> run_sync("examples/two-agents/team.agent#greeter").text
    'Hello!'
    """
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        raise NotAllowed("an event loop is running here: use `await run(...)` instead of `run_sync(...)`")
    return asyncio.run(run(spec, task, **options))


async def stream(
    spec: Spec | str | os.PathLike[str], task: str | None = None, **options: Any
) -> AsyncIterator[dict[str, Any]]:
    """Run a spec and hear its events as they happen; the last one is `run_finished`.

    Leaving the loop early stops the run, which can then be resumed.

    >>> async def kinds():
    ...     return [event["kind"] async for event in stream("examples/two-agents/team.agent#greeter")]
    >>> kinds = asyncio.run(kinds())
    >>> kinds[0], kinds[-1]
    ('run_started', 'run_finished')
    """
    heard: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    going = asyncio.ensure_future(run(spec, task, **options, on_event=heard.put_nowait))
    going.add_done_callback(lambda _: heard.put_nowait(None))
    try:
        while (event := await heard.get()) is not None:
            yield event
        going.result()
    finally:
        if not going.done():
            going.cancel()
            await asyncio.gather(going, return_exceptions=True)


async def resume(
    run_id: str,
    *,
    message: str | None = None,
    tool_outcome: ToolOutcome = "ask",
    project: str | os.PathLike[str] = ".",
    **options: Any,
) -> Result:
    """Go on with a run that was interrupted or whose process died; no finished call is made again.

    `project` is the folder of its project, or one in it, beside whose spec the run is kept: without it the working
    directory counts, as for the program. `store="FOLDER"` names a store that is elsewhere, as in `run`.

    `message` is said to the model in its next request; where the run has ended, it starts a new run of the same spec
    and session that knows the conversation so far.

    Raises `NotFound` where the store has no such run, `NotAllowed` where it has ended and there is no message,
    `LeaseLost` where another process drives it, `JournalError` where its journal can't be trusted.

    >>> ended = run_sync("examples/two-agents/team.agent#greeter")
    >>> try:
    ...     asyncio.run(resume(ended.run_id, project="examples/two-agents"))
    ... except NotAllowed as error:
    ...     print(str(error).replace(ended.run_id, "…"))
    the run `…` has ended: done (completed); a message would start a new run of its session
    """
    chosen = RunOptions(**options)
    async with workspace() as shared:
        return await reopen(run_id, Path(project), chosen, shared, lambda _: tool_outcome, message).go()


def reopen(
    run_id: str,
    project: Path,
    options: RunOptions,
    shared: Workspace,
    ask: Callable[[CallTool], ToolOutcome],
    message: str | None = None,
) -> Running:
    """A run as its journal left it, ready to go on. `ask` says what becomes of a call whose outcome nobody knows.

    Raises `NotFound`, `NotAllowed` and `JournalError` as `resume` does.
    """
    if message is not None and not message.strip():
        raise NotAllowed("the message is empty")
    store = existing_store(options.store, project, shared)
    journal = store.open_run(run_id)
    try:
        records = journal.read()
        started = _first(records, run_id)
        blueprint = blueprint_from(started.plan)
        task = next((message.text for message in reversed(started.opening) if isinstance(message, UserMessage)), "")
        names = _names(blueprint, run_id, started.session_id, task, started.at)
        require_whole(blueprint)
        running = Running(blueprint, names, options, journal, model_of(blueprint, shared), store)
        running.fold(records)
        outcome = running.state.outcome
        if outcome is None or outcome.status in GOES_ON:
            end_orphans(run_id)  # before anything is repeated, or told to have stopped
            _take_up(running, ask, message)
            return running
        if message is None:
            raise NotAllowed(
                f"the run `{run_id}` has ended: {outcome.status} ({outcome.reason}); "
                "a message would start a new run of its session"
            )
        journal.close()
        return _follow(running, started.session_id, message, shared, store)
    except BaseException:
        journal.close()
        raise


def _follow(ended: Running, session: str, message: str, shared: Workspace, store: SqliteStore) -> Running:
    """A new run of an ended run's spec and session, which begins with the conversation so far."""
    said = (*ended.state.transcript, UserMessage(text=message))
    return _begin(
        ended.blueprint, session, message, lambda _: said, ended.options, model_of(ended.blueprint, shared), store
    )


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
    running.first = [Resumed(at=now, reason="resume", reissued=again, message=message), *settled]


async def replay(run_id: str, *, project: str | os.PathLike[str] = ".", store: str | None = None) -> int:
    """Fold a run's journal again and compare every decision with the one that it holds; the number of steps.

    Words are compared too where this very version wrote the journal. Needs no network and runs no tool.
    Raises `ReplayDiverged` with both sides at the first difference.

    >>> ended = run_sync("examples/two-agents/team.agent#greeter")
    >>> asyncio.run(replay(ended.run_id, project="examples/two-agents"))
    2
    """
    async with workspace() as shared:
        records = existing_store(store, Path(project), shared).read_run(run_id)
        started = _first(records, run_id)
        blueprint = blueprint_from(started.plan)
        settings = blueprint.settings
        equipment = equip(settings, Path(blueprint.project))
        plan = link(settings, equipment.plans, name=blueprint.name, spec_hash=blueprint.spec_hash)
        if started.plan.get("written_by") == WRITTEN_BY:
            return compare(plan, records)
        return compare(plan, records, decisions)


def as_spec(spec: Spec | str | os.PathLike[str], options: RunOptions) -> Spec:
    if isinstance(spec, Spec):
        return spec
    return load(spec, sets=options.sets, inputs=options.inputs, model=options.model)


def task_of(spec: Spec, task: str | None) -> str:
    """The task that was given, else the spec's own. Raises `NotAllowed` where there is none."""
    spec.require_agent()
    chosen = task if task is not None else spec.values.get("task")
    if not isinstance(chosen, str) or not chosen.strip():
        raise NotAllowed(f"no task: give one, or write `task:` in `{spec.path}`")
    return chosen


def new_run_id() -> str:
    """A name for a run that sorts by time and is no guess: 20261130-031500-1f0c9a2b."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


def existing_store(store: str | None, project: Path, shared: Workspace) -> SqliteStore:
    """The store of a project that has one. Raises `NotFound`, saying where it looked."""
    path = _home(store, project_folder(project)) / DATABASE
    if not path.is_file():
        way_out = "name the folder that keeps them with `--store`, or its project's with `project=` in Python"
        raise NotFound(f"no runs are kept in `{path.parent}`; {way_out}")
    return shared.store(path)


def _home(store: str | None, project: Path) -> Path:
    return Path(store).absolute() if store is not None else state_folder(project)


def _first(records: list[JournalRecord], run_id: str) -> RunStarted:
    if not records:
        raise JournalError(f"the run `{run_id}` died before its first record: nothing of it was done, start it again")
    require_format(records[0])
    started = decode(records[0])
    if not isinstance(started, RunStarted):
        raise JournalError(f"the journal of `{run_id}` does not begin with the start of a run")
    return started


def _names(blueprint: Blueprint, run_id: str, session_id: str, task: str, started: float) -> Names:
    began = datetime.fromtimestamp(started, tz=UTC)
    known = {"id": run_id, "session_id": session_id, "task": task, "started_at": began, "now": began}
    return blueprint.names(known | {"date": f"{began:%Y-%m-%d}"})


def story(store: SqliteStore, run_id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The line of a run in its store, and what it did turn by turn. Reads only; works while the run goes on."""
    tally = Tally()
    for record in store.read_run(run_id):
        tally.take(decode(record))
    return store.find_run(run_id), tally.trace or []
