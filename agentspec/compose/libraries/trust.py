"""trust: what a library may not do unless the spec that uses it says so: start programs, read the environment.

Who is trusted stands in the spec alone (`trust:`), and which libraries are the organisation's own in `agentspec.toml`;
nothing that a library says of itself counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from collections.abc import Sequence as Items
from typing import Final

from agentspec.compose.documents import items_of, looks_like_file
from agentspec.compose.libraries.opened import Library, Trouble
from agentspec.compose.libraries.organisation import is_own
from agentspec.compose.libraries.outside import outside
from agentspec.compose.origin import Layer
from agentspec.compose.rights.left import Right
from agentspec.compose.rights.rights import rights_of
from agentspec.syntax.tree import Mapping, Path, Scalar, find, plain
from agentspec.text.diagnostic import Related

POWERS: Final[dict[str, str]] = {
    "commands": "starts programs",
    "functions": "runs Python",
    "secrets": "reads the environment",
    "hosts": "has the model asked at a server of its choice",
    "roots": "reaches outside of the project",
    "children": "calls agents of its own",
    "sandbox": "takes the wall around programs away",
}
"""The kinds of right that no library has of itself, and what having one means."""
SHOWN = 3


def trusted(root: Mapping) -> dict[str, Scalar]:
    """The names that a spec trusts, each with its place."""
    items = items_of(root.get("trust"))
    return {str(item.value): item for item in items if isinstance(item, Scalar) and isinstance(item.value, str)}


def powers(library: Library, layers: Items[Layer], known: Collection[str]) -> Iterator[Trouble]:
    """What the layers of a library do that only a trusted one may; `known` are whom the spec trusts already."""
    found: dict[str, list[Right]] = {}
    for layer in layers:
        rights = rights_of(layer.root).kinds if layer.library == library.folder else {}
        for kind, named in {**rights, "sandbox": _walls(layer.root)}.items() if rights else ():
            found.setdefault(kind, []).extend(right for right in named.values() if _is_power(kind, right))
        found.setdefault("roots", []).extend(outside(layer.root) if rights else ())
    said = [kind for kind in POWERS if found.get(kind)]
    if said:
        words = [POWERS[kind] for kind in said]
        listed = ", ".join(words[:-1]) + (" and " if words[:-1] else "") + words[-1]
        places = tuple(Related(right.span, POWERS[kind]) for kind in said for right in found[kind])
        message = f"`{library.name}` {listed}, and this spec does not trust it to"
        help_ = f"look at what it does, then `trust: [{', '.join((*known, library.name))}]`"
        yield Trouble("AS455", message, help_, places[:SHOWN])


def _walls(root: Mapping) -> dict[str, Right]:
    """What a layer says of the wall around programs, where it takes that away."""
    path: Path = ("capability", "sandbox")
    said = find(root, path)
    mode = find(said, ("mode",)) if isinstance(said, Mapping) else said
    return {"none": Right("none", mode, path)} if mode is not None and plain(mode) == "none" else {}


def _is_power(kind: str, right: Right) -> bool:
    match kind:
        case "hosts":
            return right.path[-1] == "base_url"
        case "roots":
            return False  # any path counts, not the roots of tools alone
        case "children":
            return looks_like_file(right.name.partition(": ")[2])
        case _:
            return kind in POWERS


def needs_above(library: Library, needed: Library, place: Related, known: Collection[str]) -> Iterator[Trouble]:
    """What is wrong with a need of a library for one that is more trusted than it."""
    if is_own(needed) and not is_own(library):
        message = f"`{library.name}` needs `{needed.name}`, a library of the organisation that it does not belong to"
        allows = f"`trust: [{', '.join((*known, library.name))}]` allows it"
        help_ = f"{allows}; `[libraries] organisation` says what belongs to it"
        yield Trouble("AS456", message, help_, (place,))
