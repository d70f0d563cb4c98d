"""behaviours: try specs and presets against models that behave badly in known ways, which are scripts of `stdlib/`.

Tools that may change something are answered without being carried out, and what a person would be asked is denied.
Whatever a model does, a run must end with an end of its own, and its journal must lead to the same decisions again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.api.forecast import forecast
from agentspec.api.kept import replay
from agentspec.api.options import RunOptions
from agentspec.api.scenarios.stage import in_order, on_stage, perform, set_up, what_broke
from agentspec.api.spec import Spec, load
from agentspec.checker.walk import find_specs
from agentspec.compose.documents import kind_of, name_of
from agentspec.compose.files import Files, builtin_names
from agentspec.compose.inputs import Declared, declared_inputs
from agentspec.compose.libraries.opened import libraries_of
from agentspec.compose.load import load as compose
from agentspec.errors import ReplayDiverged
from agentspec.resources import resource
from agentspec.runtime.result import Result
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import plain

TASK = "Do what you are for."
NO_TOOL = "no_such_tool"
TEXT = "."
SOME: Mapping[str, Any] = {"integer": 1, "number": 1.0, "boolean": False, "list": [], "object": {}, "record": {}}


class Behaviour(NamedTuple):
    """What a model does, as turns in which `${tool}` stands for a tool of the spec and `${n}` counts."""

    name: str
    description: str
    turns: tuple[Any, ...]
    times: int

    def script(self, tool: str) -> list[Any]:
        """The turns for a spec with this tool."""
        return [
            _filled(turn, {"${tool}": tool, "${n}": str(n)}) for n in range(1, self.times + 1) for turn in self.turns
        ]


class Tried(NamedTuple):
    """A spec that was tried against a behaviour: how it ended, or why that is no end."""

    spec: str
    behaviour: Behaviour
    result: Result | None = None
    problem: str = ""

    @property
    def has_passed(self) -> bool:
        return not self.problem


@cache
def behaviours() -> tuple[Behaviour, ...]:
    """All behaviours that `stdlib/` brings, by name.

    >>> [each.description for each in behaviours() if each.name == "never-ends"]
    ['makes ever new calls']
    """
    return tuple(_read(path) for path in sorted(resource("stdlib", "behaviours").glob("*.yaml")))


def _read(path: Path) -> Behaviour:
    values: Any = plain(read_file(path).documents[0].root)
    return Behaviour(path.stem, values["description"], tuple(values["turns"]), values.get("times", 1))


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    match value:
        case str():
            for word, said in words.items():
                value = value.replace(word, said)
            return value
        case Mapping():
            return {name: _filled(item, words) for name, item in value.items()}
        case list():
            return [_filled(item, words) for item in value]
        case _:
            return value


class Candidate(NamedTuple):
    """A spec that can be tried: an agent, or a preset with nothing added; with values for the inputs that need one."""

    name: str
    reference: str
    is_preset: bool
    inputs: Mapping[str, Any] = {}


def find_candidates(paths: Iterable[Path]) -> tuple[list[Candidate], list[Path]]:
    """The agents and presets of files and folders, in their order, and the paths that do not exist."""
    found = find_specs(list(paths))
    return [each for file in found.files for each in _of_file(file)], found.missing


def _of_file(path: Path) -> Iterator[Candidate]:
    for document in read_file(path).documents:
        kind, name = kind_of(document), name_of(document)
        if kind in ("agent", "preset") and name:
            needed = (each for each in declared_inputs(document.root).values() if each.is_required)
            inputs = {each.name: _some_value(each) for each in needed}
            reference = f"{os.path.abspath(path)}#{name}"  # noqa: PTH100 - `Path` would drop `..`
            yield Candidate(f"{path}#{name}", reference, kind == "preset", inputs)


def _some_value(declared: Declared) -> Any:
    """A value that its type takes; a text names the folder of the spec, for those that are paths."""
    return declared.members[0] if declared.members else SOME.get(declared.type.kind, TEXT)


class Trial(NamedTuple):
    """A spec and a behaviour that it is tried against."""

    candidate: Candidate
    behaviour: Behaviour


def trials_of(candidates: Iterable[Candidate], words: str = "") -> list[Trial]:
    """Each against every behaviour, where the name of one of the two has `words` in it; case does not matter."""
    wanted = words.lower()
    every = (Trial(candidate, behaviour) for candidate in candidates for behaviour in behaviours())
    return [each for each in every if any(wanted in one.name.lower() for one in each)]


async def try_all(
    trials: Iterable[Trial], at_once: int, on_tried: Callable[[Tried], None] | None = None
) -> list[Tried]:
    """Try them, so many at once; `on_tried` hears of each in order."""
    return await in_order([partial(try_one, *each) for each in trials], at_once, on_tried)


async def try_one(candidate: Candidate, behaviour: Behaviour) -> Tried:
    """Try a spec against one behaviour. What goes wrong is told, never raised."""
    tried, problem = await on_stage(partial(_try, candidate, behaviour))
    return tried or Tried(candidate.name, behaviour, problem=problem)


async def _try(candidate: Candidate, behaviour: Behaviour, folder: Path) -> Tried:
    spec = set_up(partial(_loaded, candidate), folder, {}).spec
    tools = forecast(spec, TASK)["tools"]
    turns = behaviour.script(tools[0]["name"] if tools else NO_TOOL)
    script, store = folder / "script.json", folder / "store"
    script.write_text(json.dumps({"turns": turns}), encoding="utf-8")
    options = RunOptions(script=script, store=store, approve="deny", dry_run=True, offline=True, skip_waits=True)
    result = (await perform(spec, None if spec.values.get("task") else TASK, options)).result
    tried = Tried(candidate.name, behaviour, result, what_broke(result))
    if tried.problem:
        return tried
    try:
        await replay(result.run_id, store=store)
    except ReplayDiverged as diverged:
        return tried._replace(problem=f"it is decided otherwise when it is replayed: {diverged}")
    return tried


def _loaded(candidate: Candidate) -> Spec:
    if not candidate.is_preset:
        return load(candidate.reference, inputs=candidate.inputs)
    file, _, name = candidate.reference.rpartition("#")
    library = libraries_of(Files()).around(os.path.dirname(file))  # noqa: PTH120 - a path as text
    # Where the spec would be, beside the preset or in the folder of its library: it is no file.
    folder, preset, trust = Path(file).parent, candidate.reference, {}
    if library is not None and name not in builtin_names("presets"):
        folder, preset, trust = Path(library.folder).absolute(), name, {"trust": [library.name]}
    path = str(folder / f".{Path(file).name}.tried.json")
    values = {"name": "tried", "extends": [{"use": preset, "with": dict(candidate.inputs)}], **trust}
    return Spec(compose(path, files=Files({os.path.realpath(path): json.dumps(values)})), path)
