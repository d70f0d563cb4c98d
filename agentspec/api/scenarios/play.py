"""play: play a scenario: its spec runs in a copy of its folder, with a script in the place of the model.

Nothing of the project is touched, and no server is asked. What a scenario does wrong is told, never raised.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.models.script_file import SOURCE
from agentspec.adapters.people.consents import consents_of
from agentspec.api.options import RunOptions
from agentspec.api.scenarios.find import ScenarioFound
from agentspec.api.scenarios.rehearsal import texts_of
from agentspec.api.scenarios.simulated import SimulatedUser
from agentspec.api.scenarios.stage import in_order, on_stage, perform, set_up
from agentspec.api.spec import load
from agentspec.runtime.journal import AnyRecord
from agentspec.runtime.result import Result
from agentspec.testing.expected import NOTHING, CameOut, Miss, misses

SCRIPT = ("model", "tool_results")


class Played(NamedTuple):
    """A scenario that was played: what was not as expected, why it could not be played, and what the run did."""

    scenario: ScenarioFound
    misses: tuple[Miss, ...] = ()
    problem: str = ""
    result: Result | None = None
    records: tuple[AnyRecord, ...] = ()
    seconds: float = 0.0

    @property
    def has_passed(self) -> bool:
        return not self.misses and not self.problem

    def reasons(self) -> list[str]:
        """Why it has failed, in lines."""
        return [*self.problem.splitlines(), *(line for miss in self.misses for line in miss.lines())]


async def play_all(
    scenarios: Sequence[ScenarioFound],
    at_once: int,
    on_played: Callable[[Played], None] | None = None,
    *,
    allow_python: bool = False,
) -> list[Played]:
    """Play scenarios, so many at once; `on_played` hears of each in their order."""
    work = [partial(play, scenario, allow_python=allow_python) for scenario in scenarios]
    return await in_order(work, at_once, on_played)


async def play(scenario: ScenarioFound, *, allow_python: bool = False) -> Played:
    """Play one scenario; with `allow_python` Python of its spec runs, with all that this process may do."""
    if scenario.problem:
        return Played(scenario, problem=scenario.problem)
    began = time.monotonic()
    played, problem = await on_stage(partial(_play, scenario, allow_python))
    return (played or Played(scenario, problem=problem))._replace(seconds=time.monotonic() - began)


async def _play(scenario: ScenarioFound, allow_python: bool, folder: Path) -> Played:
    values = scenario.values
    loading = partial(load, scenario.spec, inputs=values.get("inputs") or {}, sets=_sets(values))
    staged = set_up(loading, folder, values.get("files"))
    user = SimulatedUser(values.get("user"), scenario.path, folder / "user")
    events: list[dict[str, Any]] = []
    options = replace(_options(values, scenario.place, folder, user), on_event=events.append, allow_python=allow_python)
    result, records = await perform(staged.spec, values.get("task"), options, user.meet)
    came_out = CameOut(result.as_json(), events, texts_of(staged.workspace))
    missed = [*misses(values.get("expect") or {}, came_out), *_unasked(values.get("model"), result)]
    if missed or user.problem:
        missed += [Miss(("user",), None, NOTHING, words) for words in user.remarks()]
    return Played(scenario, tuple(missed), user.problem, result, records)


def _options(values: Mapping[str, Any], source: str, folder: Path, user: SimulatedUser) -> RunOptions:
    script = None
    if "model" in values:
        script = folder / "script.json"
        held = {name: values[name] for name in SCRIPT if name in values}
        script.write_text(json.dumps({SOURCE: source, **held}), encoding="utf-8")
    approve: Any = values.get("approve") or "ask"
    rules = None if isinstance(approve, str) else consents_of(approve)
    return RunOptions(
        script=script,
        store=folder / "store",
        approve=approve if rules is None else "ask",
        on_approval=None if rules is None else partial(user.consent, rules),
        identity=values.get("identity") or {},
        on_question=user.answer,
        offline=True,
        skip_waits=True,
    )


def _sets(values: Mapping[str, Any]) -> list[str]:
    """The keys of the spec that it sets, and the conversation that came before, in which nothing is filled in."""
    history = values.get("history")
    said = [] if history is None else [f"context.history={json.dumps(history).replace('${', '$${')}"]
    return [*(values.get("set") or ()), *said]


def _unasked(turns: Any, result: Result) -> list[Miss]:
    """A script that is longer than the run: what stands there did not happen."""
    left = len(turns) - result.llm.provider_calls if isinstance(turns, list) else 0
    if left <= 0:
        return []
    words = f"nobody asked for the last {'turn' if left == 1 else f'{left} turns'} of {len(turns)}"
    return [Miss(("model",), len(turns), NOTHING, words)]
