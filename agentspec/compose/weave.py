"""weave: put the layers of one document over each other: profile, what it extends, itself, `--model`, each `--set`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agentspec.compose.authority import enforce
from agentspec.compose.clashes import clash_findings, idle_unsets
from agentspec.compose.files import Files
from agentspec.compose.groups import alone, foreign_hosts
from agentspec.compose.merge import Clash, merge, settle
from agentspec.compose.origin import Layer
from agentspec.compose.overrides import model_layer, set_layer
from agentspec.compose.preset import Instead, own_root, resolve, with_files
from agentspec.compose.profile import profile_layer
from agentspec.compose.reference import Target
from agentspec.syntax.tree import Mapping
from agentspec.text.diagnostic import Diagnostic


class Overrides(NamedTuple):
    """What is asked for over a spec: `PROVIDER:MODEL`, `PATH=VALUE` texts in their order, another preset for one."""

    model: str | None = None
    sets: tuple[str, ...] = ()
    instead: Instead | None = None


NO_OVERRIDES = Overrides()


class Woven(NamedTuple):
    """The effective tree, its layers (lowest first), and whether all that they come from was found and read."""

    tree: Mapping
    layers: tuple[Layer, ...]
    findings: list[Diagnostic]
    is_complete: bool


def weave(target: Target, files: Files, overrides: Overrides) -> Woven:
    """All layers of an agent or a preset. Other kinds of documents stand alone."""
    if target.kind not in ("agent", "preset"):
        return Woven(target.root, (Layer("spec", target.root),), [], is_complete=True)
    extended = resolve(target, files, overrides.instead)
    found = list(extended.findings)
    clashes: list[Clash] = []
    clashes_below: list[Clash] = []
    layers = [*extended.layers, Layer("spec", alone(with_files(own_root(target), target, files, found, target.folder)))]
    below = _stack(extended.layers, clashes_below)
    patch = _stack([Layer("", below), layers[-1]] if below is not None else layers, clashes)
    assert patch is not None
    for layer in _override_layers(overrides, patch, found):
        layers.append(layer)
        patch = merge(patch, layer.root, clashes)
    for layer in _known_models(target, patch, layers, files):
        layers.append(layer)
        patch = merge(patch, layer.root, clashes)
    profile = profile_layer(patch, files) if target.kind == "agent" else None
    if profile is not None:
        layers.insert(0, profile)
        patch = merge(profile.root, patch, clashes)
        below = profile.root if below is None else merge(profile.root, below, [])
    tree, wider = enforce(_in_order_of(target.root, settle(patch, clashes)), layers)
    found += clash_findings(clashes_below, extended.lists) + clash_findings(clashes)
    found += [*wider, *foreign_hosts(tree, layers)]
    if target.kind == "agent" and extended.is_complete:  # what a preset unsets may stand below it where it is used
        found += idle_unsets(target.root, below)
    return Woven(tree, tuple(layers), found, extended.is_complete)


def _known_models(target: Target, patch: Mapping, layers: list[Layer], files: Files) -> Iterable[Layer]:
    """What libraries know of the model that is asked; for agents alone, since a preset does not say who is."""
    is_concerned = target.root.get("use") is not None or any(layer.library for layer in layers)
    if target.kind != "agent" or not is_concerned or target.library:
        return ()
    from agentspec.compose.libraries.models import models_layers  # noqa: PLC0415 - few specs use libraries

    return list(models_layers(patch, target, layers, files))


def _stack(layers: Iterable[Layer], clashes: list[Clash]) -> Mapping | None:
    patch: Mapping | None = None
    for layer in layers:
        patch = layer.root if patch is None else merge(patch, layer.root, clashes)
    return patch


def _in_order_of(own: Mapping, tree: Mapping) -> Mapping:
    """The tree with the document's own top-level keys first, as they are written; then those that it inherits."""
    place = {name: index for index, name in enumerate(own.names())}
    entries = sorted(tree.entries, key=lambda entry: place.get(entry.name, len(place)))
    return Mapping(entries=entries, span=tree.span, flow=tree.flow, comments=tree.comments)


def _override_layers(overrides: Overrides, patch: Mapping, found: list[Diagnostic]) -> Iterable[Layer]:
    """The layers of the command line. `[n]` in a path means the list as the overrides before it leave it."""
    made = [] if overrides.model is None else [model_layer(overrides.model)]
    for layer in made:
        if isinstance(layer, Diagnostic):
            found.append(layer)
        else:
            patch = merge(patch, layer.root, [])
            yield layer
    for argument in overrides.sets:
        changed = set_layer(argument, settle(patch, []))
        if isinstance(changed, Diagnostic):
            found.append(changed)
        else:
            patch = merge(patch, changed.root, [])
            yield changed
