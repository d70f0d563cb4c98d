"""load: read a spec and all that it builds on, and compose them into one tree.

What is wrong with what an author wrote is a finding of the result; only a file that isn't there is raised.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Mapping as Given
from functools import cached_property
from pathlib import Path as FilePath

from agentspec.compose.authority import CEILING
from agentspec.compose.documents import Kind, kind_of, name_of, split_reference
from agentspec.compose.files import Files
from agentspec.compose.inputs import (
    GivenInputs,
    check_defaults,
    declared_inputs,
    input_origins,
    missing_inputs,
    read_inputs,
    unused_inputs,
    values_of,
)
from agentspec.compose.origin import Layer, Origin, origins
from agentspec.compose.project import project_folder
from agentspec.compose.reference import Target, choose
from agentspec.compose.weave import NO_OVERRIDES, Overrides, Woven, weave
from agentspec.expressions.types import Fields
from agentspec.syntax.tree import Document, Mapping, Node, Parsed, Path, find
from agentspec.text.diagnostic import Diagnostic, sort_key
from agentspec.text.source import Span

Inputs = Given[str, object] | Iterable[str]


class Composed:
    """One document with all that it builds on.

    `tree` is the effective mapping: its nodes keep the spans of their own files. `layers` are lowest first.
    `diagnostics` holds what reading and composing found. `has_broken` is true where a part of it, or of what it
    extends, is unknown: nothing may be reported as missing or unused then. `inputs` are the values that were given.
    """

    def __init__(self, parsed: Parsed, document: Document, woven: Woven, given: GivenInputs, project: FilePath) -> None:
        self.parsed = parsed
        self.document = document
        self.tree: Mapping = woven.tree
        self.layers: tuple[Layer, ...] = woven.layers
        self.diagnostics: list[Diagnostic] = sorted([*woven.findings, *given.findings], key=sort_key)
        self.inputs = given.values
        self.project = project
        self.has_broken = document.has_broken or not woven.is_complete
        self._given = given.origins

    def __repr__(self) -> str:
        return f"Composed({self.parsed.source.name!r}, {self.kind})"

    @property
    def kind(self) -> Kind:
        return kind_of(self.document)

    @property
    def root(self) -> Node:
        """The effective tree; where the author wrote no mapping, what stands there instead."""
        return self.tree if isinstance(self.document.root, Mapping) else self.document.root

    @property
    def has_errors(self) -> bool:
        return any(found.severity == "error" for found in self.diagnostics)

    @cached_property
    def origins(self) -> dict[Path, tuple[Origin, ...]]:
        """For each effective leaf and list the chain of its values, lowest layer first; the last one holds."""
        return {**origins(self.tree, self.layers), **input_origins(self.tree, self._given, "spec")}


def input_types(composed: Composed) -> Fields:
    """The types of the declared inputs, for the scope of expressions."""
    return tuple((name, declared.type) for name, declared in declared_inputs(composed.tree).items())


def input_values(composed: Composed) -> dict[str, object]:
    """The value of each input: what was given, else its default. An input with neither is left out."""
    return values_of(composed.tree, composed.inputs)


def unset_inputs(composed: Composed) -> list[Diagnostic]:
    """A finding for each required input without a value: what a run must refuse, and `check` and `show` need not."""
    return missing_inputs(composed.tree, composed.inputs)


def load(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    sets: Iterable[str] = (),
    inputs: Inputs | None = None,
    model: str | None = None,
    files: Files | None = None,
) -> Composed:
    """The spec of a file, composed: its profile, what it extends, itself, then `model` and `sets`.

    `path` may be `FILE#NAME`; a lone agent needs no name. `sets` are `PATH=VALUE` texts, `inputs` are `NAME=VALUE`
    texts or Python values by name, `model` is `PROVIDER:MODEL`. Raises `NotFound` where there is no such file; all
    that an author can get wrong is in the result's `diagnostics`.
    """
    files = files or Files()
    file = os.fspath(path)
    if name is None and not os.path.exists(file):  # noqa: PTH110 - a file may itself be called `a#b.yaml`
        file, name = split_reference(file)
    parsed = files.read(file)
    place = Span(parsed.source, 0, 0)
    chosen = choose(parsed, name, place, file, ("agent",)) if parsed.documents else None
    if not isinstance(chosen, Document):
        return _nothing(parsed, file, chosen)
    composed = compose(parsed, chosen, file, files, overrides=Overrides(model, tuple(sets)), inputs=inputs or ())
    composed.diagnostics = sorted([*parsed.diagnostics, *composed.diagnostics], key=sort_key)
    return composed


def load_all(path: str | os.PathLike[str], files: Files | None = None) -> tuple[Parsed, list[Composed]]:
    """Every document of a file, composed. What reading found stands in `Parsed` and is not repeated in each of them.

    Raises `NotFound` where there is no such file.
    """
    files = files or Files()
    file = os.fspath(path)
    parsed = files.read(file)
    return parsed, [compose(parsed, document, file, files) for document in parsed.documents]


def compose(
    parsed: Parsed,
    document: Document,
    path: str,
    files: Files,
    *,
    overrides: Overrides = NO_OVERRIDES,
    inputs: Inputs = (),
) -> Composed:
    """One document of a parsed file, composed; its diagnostics are those of composition alone."""
    folder, file = os.path.split(path)
    shown = (name_of(document) or file) if len(parsed.documents) > 1 else file
    target = Target(parsed, document, folder, "spec", shown, is_own_file=True)
    woven = weave(target, files, overrides)
    given = read_inputs(woven.tree, inputs)
    woven.findings.extend(check_defaults(target.root))
    if woven.is_complete and _calls_within_ceiling(woven.tree):
        from agentspec.compose.rights.called import beyond_reach, called_trees  # noqa: PLC0415 - few specs need it

        woven.findings.extend(beyond_reach(woven.tree, called_trees(woven.tree, target, files)))
    woven.findings.extend(_of_libraries(target, woven, files))
    if target.kind == "preset" and not document.has_broken:
        woven.findings.extend(unused_inputs(target.root))
    return Composed(parsed, document, woven, given, project_folder(path))


def _of_libraries(target: Target, woven: Woven, files: Files) -> Iterable[Diagnostic]:
    """What there is to say about libraries; where there are none, nothing is loaded for them."""
    names = target.root.names()
    if target.kind == "library" and not target.document.has_broken:
        from agentspec.compose.libraries.whole import whole_findings  # noqa: PLC0415 - few files are manifests

        return whole_findings(target, files)
    if "use" not in names and "trust" not in names and not any(layer.library for layer in woven.layers):
        return ()
    from agentspec.compose.libraries.findings import library_findings  # noqa: PLC0415 - few specs use libraries

    return library_findings(target, woven.tree, woven.layers, files)


def _calls_within_ceiling(tree: Mapping) -> bool:
    tools = find(tree, ("capability", "tools"))
    entries = tools.entries if isinstance(tools, Mapping) and find(tree, CEILING) is not None else ()
    return any(find(entry.value, ("agent",)) is not None for entry in entries)


def _nothing(parsed: Parsed, path: str, problem: Diagnostic | None) -> Composed:
    """What a file gives that holds no document, or where it is not clear which one is meant."""
    place = Span(parsed.source, 0, 0)
    empty = Mapping(entries=[], span=place)
    document = Document(root=empty, span=place, has_broken=True)
    woven = Woven(empty, (), [*parsed.diagnostics, *([problem] if problem else [])], is_complete=False)
    return Composed(parsed, document, woven, GivenInputs({}, {}, []), project_folder(path))
