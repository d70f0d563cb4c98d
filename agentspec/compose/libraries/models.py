"""models: what libraries know of the models that a spec names, in the place of what the catalogue knows.

It fills in the window and the prices where the spec says neither; it never chooses a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Items
from typing import Final, NamedTuple

from agentspec.compose.authority import put
from agentspec.compose.files import Files
from agentspec.compose.libraries.opened import Library, libraries_of
from agentspec.compose.origin import Layer
from agentspec.compose.reference import Target
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence, find

FACTS: Final = ("context_window", "prices")
PRICES: Final = ("prices",)
PLACES: Final[dict[Path, tuple[str, ...]]] = {
    ("model",): FACTS,
    ("model", "shadow"): PRICES,
    ("execution", "verify_completion_judge"): PRICES,
    ("execution", "turn_end_condition"): PRICES,
    ("execution", "step_judge"): PRICES,
    ("execution", "input_guardrail", "judge"): PRICES,
}
"""Where a spec names a model, and which facts can stand there; routes stand in a list."""
ROUTES: Final[Path] = ("model", "routes")


class Known(NamedTuple):
    """What a library knows of a model and a place does not say itself."""

    library: Library
    entries: list[Entry]


def models_layers(patch: Mapping, target: Target, layers: Items[Layer], files: Files) -> Iterator[Layer]:
    """A layer for each library that knows something of the models that are named, and one for the list of routes."""
    libraries, home = _libraries(target, layers, files), _home(patch)
    by_library: dict[str, Layer] = {}
    for path, keys in PLACES.items():
        known = _known(find(patch, path), home, keys, libraries)
        if known is not None:
            empty = Mapping(entries=[], span=known.library.manifest.root.span)
            start = by_library.get(known.library.folder, _layer(known.library, empty))
            by_library[known.library.folder] = start._replace(root=_with(start.root, path, known.entries))
    yield from by_library.values()
    yield from _routes(find(patch, ROUTES), home, libraries)


def _layer(library: Library, root: Mapping) -> Layer:
    return Layer(f"library:{library.name}", root, library.manifest.document, library.folder)


def _with(root: Mapping, path: Path, entries: Iterable[Entry]) -> Mapping:
    for entry in entries:
        root = put(root, (*path, entry.name), entry.value)
    return root


def _routes(routes: Node | None, home: str | None, libraries: Items[Library]) -> Iterator[Layer]:
    """The routes with what is known of their models. They are the spec's own, and no deed of a library."""
    items = routes.items if isinstance(routes, Sequence) else []
    known = [_known(route, home, FACTS, libraries) for route in items]
    names = sorted({each.library.name for each in known if each is not None})
    if isinstance(routes, Sequence) and names:
        whole = [
            route.with_entries([*route.entries, *each.entries])
            if each is not None and isinstance(route, Mapping)
            else route
            for route, each in zip(items, known, strict=True)
        ]
        empty = Mapping(entries=[], span=routes.span)
        yield Layer(f"library:{', '.join(names)}", put(empty, ROUTES, routes.with_items(whole)))


def _known(place: Node | None, home: str | None, keys: Items[str], libraries: Iterable[Library]) -> Known | None:
    """What the first library that knows more of the model of a place says of it."""
    model = _word(place, "model")
    provider = _word(place, "provider") or home
    if not isinstance(place, Mapping) or model is None or provider is None:
        return None
    missing = [key for key in keys if place.get(key) is None]
    for library in libraries:
        said = find(library.manifest.root, ("models", provider, model))
        entries = [entry for entry in said.entries if entry.name in missing] if isinstance(said, Mapping) else []
        if entries:
            return Known(library, entries)
    return None


def _home(patch: Mapping) -> str | None:
    """Who answers where a place does not say: the provider of the section, or of the route that is taken by default."""
    own = find(patch, ("model",))
    routes = find(patch, ROUTES)
    items = routes.items if isinstance(routes, Sequence) else []
    default = next(
        (each for each in items if isinstance(each, Mapping) and not {"when", "python"} & {*each.names()}), None
    )
    return _word(own, "provider") or _word(default, "provider")


def _libraries(target: Target, layers: Items[Layer], files: Files) -> list[Library]:
    """The libraries that the spec uses itself, then those of what it extends; each once."""
    libraries = libraries_of(files)
    uses = target.root.get("use")
    own = [libraries.used(entry, target.folder) for entry in uses.entries] if isinstance(uses, Mapping) else []
    found = [used.library for used in own if used is not None and used.library is not None]
    found += [libraries.by_folder[layer.library] for layer in layers if layer.library in libraries.by_folder]
    return list({library.folder: library for library in found}.values())


def _word(node: Node | None, key: str) -> str | None:
    word = find(node, (key,)) if isinstance(node, Mapping) else None
    return word.value if isinstance(word, Scalar) and isinstance(word.value, str) else None
