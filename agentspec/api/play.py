"""play: play a scenario: its spec runs in a copy of its folder, with a script in the place of the model.

Nothing of the project is touched, and no server is asked. What a scenario does wrong is told, never raised.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.api.kept import DATABASE
from agentspec.api.options import RunOptions
from agentspec.api.rehearsal import rehearse, texts_of
from agentspec.api.run import start
from agentspec.api.scenarios import ScenarioFound
from agentspec.api.simulated import OFFLINE, SimulatedUser
from agentspec.api.spec import Spec, load
from agentspec.api.workspace import workspace
from agentspec.errors import AgentSpecError, NotAllowed
from agentspec.runtime.journal import AnyRecord, decode
from agentspec.runtime.result import Result
from agentspec.testing.expected import NOTHING, CameOut, Miss, misses
from agentspec.text.witness import listening

LONGEST = 300.0  # seconds that a scenario may take
LOOKS = ("file", "read")
SCRIPT = ("model", "tool_results")


class Played(NamedTuple):
    """A scenario that was played: what was not as expected, why it could not be played, and what the run did."""

    scenario: ScenarioFound
    seconds: float
    misses: tuple[Miss, ...] = ()
    problem: str = ""
    result: Result | None = None
    records: tuple[AnyRecord, ...] = ()

    @property
    def has_passed(self) -> bool:
        return not self.misses and not self.problem


async def play_all(
    scenarios: Sequence[ScenarioFound], at_once: int, on_played: Callable[[Played], None] | None = None
) -> list[Played]:
    """Play scenarios, so many at once; `on_played` hears of each in their order, as soon as those before it are known.

    The list has them in the order in which they were given.
    """
    slots = asyncio.Semaphore(at_once)

    async def one(scenario: ScenarioFound) -> Played:
        async with slots:
            return await play(scenario)

    tasks = [asyncio.create_task(one(scenario)) for scenario in scenarios]
    played = []
    for task in tasks:
        played.append(await task)
        if on_played is not None:
            on_played(played[-1])
    return played


async def play(scenario: ScenarioFound) -> Played:
    """Play one scenario."""
    began = time.monotonic()

    def failed(problem: str) -> Played:
        return Played(scenario, time.monotonic() - began, problem=problem)

    if scenario.errors:
        return failed("it does not check:\n" + "\n".join(f"  {one}" for one in scenario.errors))
    try:
        with staging() as folder:
            async with asyncio.timeout(LONGEST):
                played = await _play(scenario, folder)
    except TimeoutError:
        return failed(f"it did not end within {LONGEST:g} s")
    except (AgentSpecError, OSError) as problem:
        return failed(str(problem))
    return played._replace(seconds=time.monotonic() - began)


@contextmanager
def staging() -> Iterator[Path]:
    """A folder of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="agentspec-test-") as name:
        yield Path(name).resolve()


async def _play(scenario: ScenarioFound, folder: Path) -> Played:
    values = scenario.values
    with listening() as witness:
        spec = load(scenario.spec, inputs=values.get("inputs") or {})
        spec.require_runnable()
    read = [Path(path) for kind, path in witness.seen if kind in LOOKS]
    stage = folder / "workspace"
    stage.mkdir()
    rehearse(spec.project, stage, values.get("files"), read)
    user = SimulatedUser(values.get("user"), scenario.path, folder / "user")
    events: list[dict[str, Any]] = []
    spec.project = stage
    options = _options(values, folder, user, events, spec)
    result, records = await perform(spec, values.get("task"), options, user)
    came_out = CameOut(result.as_json(), events, texts_of(stage))
    missed = [*misses(values.get("expect") or {}, came_out), *_unasked(values.get("model"), result)]
    return Played(scenario, 0.0, tuple(missed), user.problem, result, records)


def _options(
    values: Mapping[str, Any], folder: Path, user: SimulatedUser, events: list[dict[str, Any]], spec: Spec
) -> RunOptions:
    script = None
    if "model" in values:
        script = folder / "script.json"
        script.write_text(json.dumps({name: values[name] for name in SCRIPT if name in values}), encoding="utf-8")
    elif (spec.values.get("model") or {}).get("provider") not in OFFLINE:
        raise NotAllowed(f"it has no `model`, and `{spec.name}` asks a provider: write the turns under `model`")
    return RunOptions(
        script=script,
        store=folder / "store",
        approve=values.get("approve") or "ask",
        identity=values.get("identity") or {},
        on_question=user.answer,
        on_event=events.append,
    )


async def perform(
    spec: Spec, task: str | None, options: RunOptions, user: SimulatedUser | None = None
) -> tuple[Result, tuple[AnyRecord, ...]]:
    """Run a spec to its end; what its journal holds comes with the result. A person can end it, where there is one."""
    async with workspace() as shared:
        running = await start(spec, task, options, shared)
        if user is not None:
            user.stop = lambda: running.abort("user")
        result = await running.go()
        kept = shared.store(Path(str(options.store)) / DATABASE).read_run(result.run_id)
    return result, tuple(map(decode, kept))


def _unasked(turns: Any, result: Result) -> list[Miss]:
    """A script that is longer than the run: what stands there did not happen."""
    left = len(turns) - result.llm.provider_calls if isinstance(turns, list) else 0
    if left <= 0:
        return []
    words = f"nobody asked for the last {'turn' if left == 1 else f'{left} turns'} of {len(turns)}"
    return [Miss(("model",), len(turns), NOTHING, words)]
