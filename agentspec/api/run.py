"""run: run a spec on a task, from a program."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Unpack

from agentspec.api.assembly.assemble import Names, filled_in
from agentspec.api.assembly.called import blueprint_of, settle_called
from agentspec.api.assembly.guards import require_model, require_provider_tools, require_search
from agentspec.api.assembly.models import models_of
from agentspec.api.assembly.opening import last_word, opening_of
from agentspec.api.assembly.prefill import settle_prefill
from agentspec.api.assembly.pricing import settle_prices
from agentspec.api.assembly.tool_format import settle_format
from agentspec.api.assembly.unnamed import unnamed
from agentspec.api.assembly.windows import settle_windows
from agentspec.api.begin import begin
from agentspec.api.children import Children
from agentspec.api.kept import DATABASE, home_of
from agentspec.api.options import OF_LOADING, RunKeywords, RunOptions, options_of
from agentspec.api.resume import reopen_child
from agentspec.api.running import Part, Running
from agentspec.api.spec import Spec, load
from agentspec.api.workspace import Workspace, workspace
from agentspec.compose.project import project_mark
from agentspec.core.calls.cap import encodable
from agentspec.core.messages import Message
from agentspec.errors import NotAllowed
from agentspec.runtime.result import Result
from agentspec.syntax.written import RECORDING, require_free


async def start(spec: Spec, task: str | None, options: RunOptions, shared: Workspace) -> Running:
    """Make a run, ready to go; without a task it takes the spec's own, which is a template.

    Raises `SpecInvalid`, `Unavailable` or `NotAllowed` before anything is written.
    """
    words = task_of(spec, task)
    has_task = bool(_given(spec, task).strip())
    blueprint = blueprint_of(spec, options)
    models = models_of(blueprint, shared)
    nobody = unnamed(blueprint.settings.get("capability") or {})
    for line in (*blueprint.settle_routes(models.names), *spec.pending_keys(), *_moved(spec), *nobody):
        options.notice(line)
    settle_prices(blueprint, os.environ)
    settle_format(blueprint, os.environ)
    settle_prefill(blueprint, os.environ)
    settle_windows(blueprint, os.environ)
    require_model(blueprint.settings)
    require_search(blueprint.settings)
    require_provider_tools(blueprint.settings)
    if options.record_path is not None:
        require_free(options.record_path, RECORDING)
    settle_called(blueprint, shared, os.environ)
    store = shared.store(home_of(options.store, spec.project) / DATABASE)
    children = Children(shared, reopen_child)

    def fill(names: Names) -> str:
        return encodable(words if task is not None and has_task else filled_in(words, names, "task"))

    def opening(names: Names) -> tuple[Message, ...]:
        images = [Path(path) for path in options.images]
        keep = store.artifacts.put
        return opening_of(blueprint, names, keep, options.notice, images=images, has_task=has_task)

    part = Part(call=children.call, pools=shared.pools)
    running = await begin(blueprint, options.session, fill, opening, options, models, store, part)
    children.parent = running
    return running


def _moved(spec: Spec) -> Iterator[str]:
    """A line where the project is not the spec's own folder: nothing in the spec tells so, and paths begin there."""
    reason = project_mark(spec.project) if spec.project != spec.folder else None
    if reason is not None:
        yield f"the project is `{spec.project}`, which holds `{reason}`: paths of the spec and the store begin there"


async def run(spec: Spec | str | os.PathLike[str], task: str | None = None, **options: Unpack[RunKeywords]) -> Result:
    """Run a spec on a task and return its result, whatever the end; `options` are the fields of `RunOptions`.

    Raises `SpecInvalid` (with every finding) where the spec has errors, `NotFound` where there is no such file,
    `Unavailable` where a provider or its key is missing: then nothing was started. Raises `JournalError` where the
    store fails while the run goes on. If the awaiting task is cancelled, the run ends `interrupted` and can be resumed.

    >>> import asyncio
    >>> result = asyncio.run(run("examples/first-look/first-look.yaml"))
    >>> result.status
    'done'
    """
    chosen = options_of("run", options)
    loaded = as_spec(spec, chosen)
    async with workspace() as shared:
        return await (await start(loaded, task, chosen, shared)).go()


def run_sync(spec: Spec | str | os.PathLike[str], task: str | None = None, **options: Unpack[RunKeywords]) -> Result:
    """`run`, for programs without an event loop. Raises `NotAllowed` where one is running.

    >>> run_sync("examples/two-agents/team.agent#greeter").text
    'Hello!'
    """
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        raise NotAllowed("an event loop is running here: use `await run(...)` instead of `run_sync(...)`")
    return asyncio.run(run(spec, task, **options))


async def stream(
    spec: Spec | str | os.PathLike[str], task: str | None = None, **options: Unpack[RunKeywords]
) -> AsyncIterator[dict[str, Any]]:
    """Run a spec and hear its events as they happen; the last one is `run_finished`.

    Leaving the loop early stops the run, which can then be resumed. `options` are those of `run`; an `on_event` hears
    each event before the loop does.

    >>> async def kinds():
    ...     return [event["kind"] async for event in stream("examples/two-agents/team.agent#greeter")]
    >>> kinds = asyncio.run(kinds())
    >>> kinds[0], kinds[-1]
    ('run_started', 'run_finished')
    """
    heard: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    on_event = options_of("stream", options).on_event

    def hear(event: dict[str, Any]) -> None:
        if on_event is not None:
            on_event(event)
        heard.put_nowait(event)

    options["on_event"] = hear
    going = asyncio.ensure_future(run(spec, task, **options))
    going.add_done_callback(lambda _: heard.put_nowait(None))
    try:
        while (event := await heard.get()) is not None:
            yield event
        going.result()
    finally:
        if not going.done():
            going.cancel()
            await asyncio.gather(going, return_exceptions=True)


def as_spec(spec: Spec | str | os.PathLike[str], options: RunOptions) -> Spec:
    if isinstance(spec, Spec):
        late = [f"`{name}`" for name in OF_LOADING if getattr(options, name)]
        if late:
            raise NotAllowed(f"the spec is loaded already, so {', '.join(late)} can't change it: give it to `load`")
        return spec
    return load(spec, sets=options.sets, inputs=options.inputs, model=options.model)


def task_of(spec: Spec, task: str | None) -> str:
    """The task that was given, else the spec's own as it is written, else what a person says last in its history.

    Raises `NotAllowed` where there is none.
    """
    spec.require_agent()
    given = _given(spec, task)
    chosen = given if given.strip() else last_word(spec.values) or ""
    if not chosen.strip():
        raise NotAllowed(f"no task: give one, or write `task:` in `{spec.path}`")
    return chosen


def _given(spec: Spec, task: str | None) -> str:
    return task if task is not None else str(spec.values.get("task") or "")
