"""stage: run a spec in a folder of its own, which is gone afterwards; what goes wrong there is told, never raised."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from agentspec.adapters.models.script import ScriptModel
from agentspec.api.kept import DATABASE
from agentspec.api.options import RunOptions
from agentspec.api.run import start
from agentspec.api.running import Running
from agentspec.api.scenarios.rehearsal import make_folders, rehearse, stage_in
from agentspec.api.spec import Spec
from agentspec.api.workspace import workspace
from agentspec.compose.project import SETTINGS_FILE
from agentspec.core.calls.touched import place
from agentspec.core.tools import touched_by
from agentspec.errors import AgentSpecError
from agentspec.runtime.journal import AnyRecord, decode
from agentspec.runtime.result import Result
from agentspec.spec.functions import functions_of
from agentspec.text.witness import listening

T = TypeVar("T")
LONGEST = 300.0  # seconds that one run may take
LOOKS = ("file", "read")
FOLDER = "folder"  # a look for a folder


class Performed(NamedTuple):
    """A run that is over: its result, what its journal holds, and the script that played its model."""

    result: Result
    records: tuple[AnyRecord, ...]
    script: ScriptModel | None


class Staged(NamedTuple):
    """A spec that works in the folder `workspace`, and not in its project."""

    spec: Spec
    workspace: Path


async def on_stage(act: Callable[[Path], Awaitable[T]]) -> tuple[T | None, str]:
    """What `act` brings with an empty folder; else None, and why in words."""
    with tempfile.TemporaryDirectory(prefix="agentspec-test-") as name:
        try:
            async with asyncio.timeout(LONGEST):
                return await act(Path(name).resolve()), ""  # noqa: ASYNC240 - of a path that was just made
        except TimeoutError:
            return None, f"it did not end within {LONGEST:g} s"
        except (AgentSpecError, OSError) as problem:
            return None, str(problem)
        except Exception as bug:  # noqa: BLE001 - what fails in one is no reason not to play the others
            return None, f"a bug in agentspec ({type(bug).__name__}: {bug}); please report it"


def set_up(loading: Callable[[], Spec], folder: Path, files: Mapping[str, str] | None) -> Staged:
    """Load a spec, and let it work below `folder`: with these files, or with a copy of its project's.

    Raises `SpecInvalid` where it does not check, and `NotAllowed` for files that can't be there.
    """
    with listening() as witness:
        spec = loading()
        spec.require_runnable()
    read = [Path(path) for kind, path in witness.seen if kind in LOOKS]
    stage = stage_in(folder, spec.project, read)
    rehearse(spec.project, stage, files, [*read, *_read_later(spec)])
    looked = [Path(path) for kind, path in witness.seen if kind == FOLDER]
    make_folders(spec.project, stage, looked)
    spec.project = stage
    return Staged(spec, stage)


def _read_later(spec: Spec) -> Iterator[Path]:
    """What a run of a spec reads of its project, and its check does not: settings, and its own Python."""
    yield spec.project / SETTINGS_FILE
    for _, function in functions_of(spec.values):
        top = spec.project / function.partition(":")[0].partition(".")[0]
        yield top.with_suffix(".py")
        yield from sorted(top.rglob("*.py"))


async def perform(
    spec: Spec, task: str | None, options: RunOptions, on_start: Callable[[Running], None] | None = None
) -> Performed:
    """Run a spec to its end. `on_start` is given the run as it begins."""
    async with workspace() as shared:
        running = await start(spec, task, options, shared)
        if on_start is not None:
            on_start(running)
        result = await running.go()
        kept = shared.store(Path(str(options.store)) / DATABASE).read_run(result.run_id)
    return Performed(result, tuple(map(decode, kept)), running.models.script)


def bring_back(running: Running, copy: Path) -> None:
    """Let recorded changes of files be made again in a copy, in which the files that the run made are not there yet."""
    if running.models.script is None:
        return
    recording, known = running.models.script.results, set[str]()
    recording.copy = copy
    for answer in recording.answers:
        plan = running.plan.tools.get(answer.name)
        if answer.file is None or plan is None:
            continue
        for path in touched_by(plan, answer.arguments or {}).paths:
            made = Path(place(path, str(copy)))
            if answer.file == "new" and path not in known and made.is_relative_to(copy) and made.is_file():
                made.unlink()
            known.add(path)


def what_broke(result: Result) -> str:
    """What broke in the runtime itself, where something did."""
    if (result.status, result.stop_reason) != ("error", "internal"):
        return ""
    return f"it broke: {result.error.message if result.error else 'nobody knows why'}"


async def in_order(
    work: Sequence[Callable[[], Awaitable[T]]], at_once: int, on_done: Callable[[T], None] | None = None
) -> list[T]:
    """What all of the work brings, so many pieces at once; `on_done` hears of each in its place."""
    slots = asyncio.Semaphore(at_once)

    async def one(piece: Callable[[], Awaitable[T]]) -> T:
        async with slots:
            return await piece()

    tasks = [asyncio.create_task(one(piece)) for piece in work]
    done = []
    try:
        for task in tasks:
            done.append(await task)
            if on_done is not None:
                on_done(done[-1])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return done
