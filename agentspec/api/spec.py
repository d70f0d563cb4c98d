"""spec: load a spec and say whether it can run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from agentspec.api.assembly.linker import Linker
from agentspec.api.assembly.places import below, places_of
from agentspec.api.options import require_list
from agentspec.checker.check import agents_in, check_composed
from agentspec.checker.consequences import apart
from agentspec.checker.filled import filled_tree
from agentspec.checker.report import in_order
from agentspec.compose.documents import kind_of, name_of, split_reference
from agentspec.compose.load import Composed, input_values, unset_inputs
from agentspec.compose.load import load as compose
from agentspec.compose.project import read_settings
from agentspec.core.calls.cap import encodable
from agentspec.errors import NotAllowed, SpecInvalid
from agentspec.spec.effective import effective
from agentspec.syntax.tree import plain
from agentspec.text.diagnostic import Diagnostic

NOT_IN_EFFECT = "AS902"
KEYS_SHOWN = 6


class Spec:
    """A spec with all that it builds on: its effective values, where it stands, and what is wrong with it.

    >>> spec = load("examples/first-look/first-look.yaml")
    >>> spec.name
    'first-look'
    """

    def __init__(self, composed: Composed, path: str, sets: Iterable[str] = ()) -> None:
        self.composed = composed
        self.sets = tuple(sets)
        self.path = path
        self.project: Path = composed.project
        values = plain(filled_tree(composed))
        self.values: dict[str, Any] = values if isinstance(values, dict) else {}
        self.linker = Linker()
        self._diagnostics: list[Diagnostic] | None = None

    @property
    def name(self) -> str:
        """The name of the agent."""
        return str(self.values["name"]) if "name" in self.values else Path(self.path).stem

    @cached_property
    def folder(self) -> Path:
        """The folder that its file is in."""
        return Path(self.composed.parsed.source.name).absolute().parent

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything that `check` says about it."""
        if self._diagnostics is None:
            self._diagnostics = check_composed(self.composed, agents_in(self.composed.parsed))
        return self._diagnostics

    @cached_property
    def effective(self) -> dict[str, Any]:
        """What holds at every key: defaults filled in, durations as seconds, sizes as bytes."""
        return effective(self.values)

    @cached_property
    def hash(self) -> str:
        """A name for what the spec says: the same for the same effective values, whatever the spelling."""
        return hashlib.sha256(msgspec.json.encode(self.values, order="deterministic")).hexdigest()

    @cached_property
    def places(self) -> dict[str, dict[str, Any]]:
        """In which file and line each value of `execution` stands."""
        return places_of(self.composed.tree, self.project)

    @cached_property
    def source(self) -> str:
        """Its file as the project sees it, with `#NAME` where it was given; as text, whatever the file is called."""
        return encodable(below(self.project, self.path))

    def pending_keys(self) -> list[str]:
        """One line that names the keys which nothing acts on yet; none where there are none."""
        found = [one for one in self.diagnostics if one.code == NOT_IN_EFFECT]
        keys = [one.path for one in found if one.path != "extends"]
        parts = [", ".join(f"`{key}`" for key in keys[:KEYS_SHOWN])] if keys else []
        if len(keys) > KEYS_SHOWN:
            parts[0] += f" and {len(keys) - KEYS_SHOWN} more"
        # what it extends: the finding stands on the word, and its message ends with the keys
        parts += [f"of what it extends {one.message.rpartition(': ')[2]}" for one in found if one.path == "extends"]
        return [f"accepted, not yet in effect: {'; '.join(parts)}"] if parts else []

    def inputs(self) -> dict[str, Any]:
        """The value of each input: what was given, else its default."""
        return input_values(self.composed)

    def require_agent(self) -> None:
        """Raise `NotAllowed` where it is no agent, `SpecInvalid` where it is not clear which one of its file is meant.

        >>> load("examples/two-agents/team.agent#greeter").require_agent()
        """
        composed = self.composed
        is_one = any(document is composed.document for document in composed.parsed.documents)
        errors = [found for found in composed.diagnostics if found.severity == "error"]
        if not is_one and errors:
            raise SpecInvalid(f"`{self.path}` does not check: {_count(errors)}", errors)
        if composed.kind != "agent":
            documents = composed.parsed.documents
            agents = [str(name_of(document)) for document in documents if kind_of(document) == "agent"]
            file = split_reference(self.path)[0]
            listed = ", ".join(f"`{file}#{name}`" for name in agents)
            raise NotAllowed(f"`{self.path}` is a {composed.kind}; name an agent" + (f": {listed}" if listed else ""))

    def require_runnable(self) -> None:
        """Raise `SpecInvalid`, with every finding, where the spec has errors or an input has no value, or where its
        project's `agentspec.toml` has errors.
        """
        self.require_agent()
        errors = [found for found in self.diagnostics if found.severity == "error"]
        errors += [*unset_inputs(self.composed), *read_settings(self.project).findings]
        if errors:
            shown = apart(in_order(errors), errors)
            raise SpecInvalid(f"`{self.path}` does not check: {_count(shown)}", shown)


def load(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    sets: Iterable[str] = (),
    inputs: Mapping[str, Any] | Iterable[str] | None = None,
    model: str | None = None,
) -> Spec:
    """Load a spec: `path` may be `FILE#NAME`, or `name` says which agent of its file.

    `inputs` are values by name, or `NAME=VALUE` texts; `sets` are `PATH=VALUE` texts; `model` is `PROVIDER:MODEL`.
    Author's mistakes are in `diagnostics`, not raised. Raises `NotFound` where there is no such file.

    >>> load("examples/two-agents/team.agent#greeter", inputs={"who": "Ada"}).inputs()
    {'who': 'Ada'}
    """
    require_list("sets", sets, '["execution.max_iterations=3"]')
    require_list("inputs", inputs, '{"folder": "inbox"}')
    given = _as_text(list(sets))
    composed = compose(path, name=name, sets=given, inputs=_as_text(inputs), model=_as_text(model))
    return Spec(composed, os.fspath(path), given)


def _as_text(given: Any) -> Any:
    """What a caller gave, with whole characters only: a command line may hold bytes that are none."""
    match given:
        case str():
            return encodable(given)
        case Mapping():
            return {_as_text(name): _as_text(value) for name, value in given.items()}
        case list() | tuple():
            return [_as_text(value) for value in given]
        case _:
            return given


def _count(errors: list[Diagnostic]) -> str:
    return "1 error" if len(errors) == 1 else f"{len(errors)} errors"
