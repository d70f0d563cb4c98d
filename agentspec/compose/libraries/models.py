"""models: what a library knows of the model that a spec names, in the place of what the catalogue knows.

It fills in the window and the prices where the spec says neither; it never chooses a model.
"""

from __future__ import annotations

from collections.abc import Sequence as Items
from typing import Final

from agentspec.compose.files import Files
from agentspec.compose.libraries.opened import Library, libraries_of
from agentspec.compose.origin import Layer
from agentspec.compose.reference import Target
from agentspec.syntax.tree import Entry, Mapping, Scalar, find

FACTS: Final = ("context_window", "prices")


def models_layer(patch: Mapping, target: Target, layers: Items[Layer], files: Files) -> Layer | None:
    """The layer with what the first library that knows the model says of it, or None where there is nothing to say."""
    provider, model = (_word(patch, key) for key in ("provider", "model"))
    section = patch.get("model")
    if provider is None or model is None or not isinstance(section, Mapping):
        return None
    for library in _libraries(target, layers, files):
        known = find(library.manifest.root, ("models", provider, model))
        missing = [key for key in FACTS if section.get(key) is None]
        entries = [entry for entry in known.entries if entry.name in missing] if isinstance(known, Mapping) else []
        if isinstance(known, Mapping) and entries:
            inner = Mapping(entries=entries, span=known.span)
            key = Scalar(value="model", span=known.span)
            root = Mapping(entries=[Entry(key=key, value=inner)], span=known.span)
            return Layer(f"library:{library.name}", root, library.manifest.document, library.folder)
    return None


def _libraries(target: Target, layers: Items[Layer], files: Files) -> list[Library]:
    """The libraries that the spec uses itself, then those of what it extends; each once."""
    libraries = libraries_of(files)
    uses = target.root.get("use")
    own = [libraries.used(entry, target.folder) for entry in uses.entries] if isinstance(uses, Mapping) else []
    found = [used.library for used in own if used is not None and used.library is not None]
    found += [libraries.by_folder[layer.library] for layer in layers if layer.library in libraries.by_folder]
    return list({library.folder: library for library in found}.values())


def _word(patch: Mapping, key: str) -> str | None:
    node = find(patch, ("model", key))
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None
