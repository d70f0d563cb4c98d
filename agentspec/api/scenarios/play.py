"""play: play a scenario: its spec runs in a copy of its folder, with a script in the place of the model.

Nothing of the project is touched, and no server is asked. What a scenario does wrong is told, never raised.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.adapters.models.script_file import SOURCE
from agentspec.adapters.people.consents import consents_of
from agentspec.api.options import RunOptions
from agentspec.api.running import Running
from agentspec.api.scenarios.find import ScenarioFound
from agentspec.api.scenarios.rehearsal import texts_of
from agentspec.api.scenarios.simulated import SimulatedUser
from agentspec.api.scenarios.stage import Performed, bring_back, in_order, on_stage, perform, set_up, what_broke
from agentspec.api.spec import load
from agentspec.runtime.journal import AnyRecord
from agentspec.runtime.result import Result
from agentspec.syntax.tree import find
from agentspec.testing.expected import NOTHING, CameOut, Miss, misses

SCRIPT = ("model", "tool_results")


class Played(NamedTuple):
    """A scenario that was played: what did not come out as it says, why it could not be played, what else may be why,
    and what the run did.
    """

    scenario: ScenarioFound
    misses: tuple[Miss, ...] = ()
    problem: str = ""
    remarks: tuple[str, ...] = ()
    result: Result | None = None
    records: tuple[AnyRecord, ...] = ()
    seconds: float = 0.0

    @property
    def has_passed(self) -> bool:
        return not self.misses and not self.problem

    @property
    def is_broken(self) -> bool:
        """Whether the run did not go as the scenario says: what came out of it says nothing then."""
        return bool(self.problem) or not all(miss.is_expectation for miss in self.misses)

    def reasons(self) -> list[str]:
        """Why it has failed, in lines, each with its place in the file."""
        missed = (line for miss in self.misses for line in miss.lines(self._line(miss)))
        return [*self.problem.splitlines(), *missed, *self.remarks]

    def _line(self, miss: Miss) -> int:
        """Where it stands, or what it would stand in."""
        root, path = self.scenario.root, miss.path
        nodes = (find(root, path[:depth]) for depth in range(len(path), 0, -1)) if root is not None else ()
        return next((node.span.first.line for node in nodes if node is not None), self.scenario.line)


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

    def begin(running: Running) -> None:
        user.meet(running)
        bring_back(running, staged.workspace)

    done = await perform(staged.spec, values.get("task"), options, begin)
    came_out = CameOut(done.result.as_json(), events, texts_of(staged.workspace))
    problem = what_broke(done.result)
    missed = [*_script_misses(values, done), *misses(values.get("expect") or {}, came_out)]
    if missed or problem or user.problem:
        missed = [*_unanswered(user, done), *missed]
    remarks = (f"user: {words}" for words in (user.unasked() if missed or problem else ()))
    return Played(scenario, tuple(missed), problem, tuple(remarks), done.result, done.records)


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


def _script_misses(values: Mapping[str, Any], done: Performed) -> Iterator[Miss]:
    """A script that is shorter than the run, or longer: what stands there did not happen."""
    if "model" not in values or done.script is None:
        return
    turns, left = len(values["model"]), done.script.unasked
    if done.script.unanswered:
        yield Miss(("model", turns - 1), turns, NOTHING, done.script.unanswered[0])
    if left:
        numbers = ", ".join(str(place + 1) for place in left)
        words = f"nobody asked for turn{'s' if len(left) > 1 else ''} {numbers} of {turns}"
        yield Miss(("model", left[0]), turns, NOTHING, words)


def _unanswered(user: SimulatedUser, done: Performed) -> Iterator[Miss]:
    """What the person and the tools were asked, and had no words for; what the person may not be asked."""
    asked = [user.problem, *user.unanswered] if user.problem else user.unanswered
    results = () if done.script is None else dict.fromkeys(done.script.results.unanswered)
    yield from (Miss(("user",), None, NOTHING, words) for words in asked)
    yield from (Miss(("tool_results",), None, NOTHING, words) for words in results)
