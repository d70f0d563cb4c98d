"""declared: where names are declared. What several layers say of one name is one declaration, the lowest of them."""

from __future__ import annotations

from collections.abc import Iterator

from agentspec.lsp.sheet import Part
from agentspec.lsp.uses.use import Use, name_span
from agentspec.syntax.tree import Entry, Mapping, Path, Scalar, find

ANY = "*"
DECLARING: tuple[Path, ...] = (
    ("inputs", ANY),
    ("capability", "tools", ANY),
    ("capability", "tools", ANY, "parameters", ANY),
    ("capability", "subagents", ANY),
    ("capability", "resources", ANY),
    ("capability", "resources", ANY, "actions", ANY),
    ("capability", "mcp", ANY),
    ("capability", "components", ANY),
    ("use", ANY),
)
"""Where a key is a name that other words may mean."""
NAMING: tuple[Path, ...] = (
    ("model", "routes", ANY, "label"),
    ("capability", "toolkits", ANY, ANY, "names", ANY),
)
"""Where a value is one."""


def is_declaring(path: Path) -> bool:
    """Whether the key at a path is a name."""
    return any(fits(path, one) for one in DECLARING)


def is_naming(path: Path) -> bool:
    """Whether the value at a path is a name."""
    return any(fits(path, one) for one in NAMING)


def declared_at(part: Part, path: Path) -> Scalar | None:
    """The key by which the lowest layer declares what stands at a path."""
    for layer in part.composed.layers:
        entry = _entry(layer.root, path)
        if entry is not None and entry.operation != "unset":
            return entry.key
    return None


def declared_in(part: Part, path: Path) -> dict[str, Scalar]:
    """The keys that declare what is in the mapping at a path, by name."""
    tree = find(part.composed.tree, path)
    names = tree.names() if isinstance(tree, Mapping) else ()
    found = ((name, declared_at(part, (*path, name))) for name in names)
    return {name: key for name, key in found if key is not None}


def again(part: Part) -> Iterator[Use]:
    """The keys of a document that speak of what a layer below it declares."""
    for path, entry in _keys(part.composed.document.root, ()):
        lowest = declared_at(part, path)
        if lowest is not None and lowest.span != entry.key.span:
            yield Use(entry.key.span, name_span(lowest), name_span(entry.key))


def _keys(root: object, above: Path) -> Iterator[tuple[Path, Entry]]:
    """The entries at the declaring paths of a document, each with its path."""
    for pattern in {one[: len(above) + 1] for one in DECLARING if fits(above, one[: len(above)])}:
        for entry in root.entries if isinstance(root, Mapping) else ():
            if pattern[-1] in (ANY, entry.name):
                path = (*above, entry.name)
                if is_declaring(path):
                    yield path, entry
                yield from _keys(entry.value, path)


def _entry(root: Mapping, path: Path) -> Entry | None:
    above = find(root, path[:-1])
    return above.entry(str(path[-1])) if isinstance(above, Mapping) else None


def fits(path: Path, pattern: Path) -> bool:
    """Whether a path is at a pattern: `*` is any step."""
    return len(path) == len(pattern) and all(want in (ANY, step) for step, want in zip(path, pattern, strict=True))
