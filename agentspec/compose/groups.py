"""groups: keys that stand or fall together when layers merge.

`alone` makes a layer say what its keys imply, as entries that unset others; it decides nothing about values.
`foreign_hosts` tells what a layer that sets no head lets meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items
from typing import NamedTuple

from agentspec.compose.findings import finding
from agentspec.compose.merge import whole
from agentspec.compose.origin import Layer
from agentspec.syntax.tree import Entry, Mapping, Path, Scalar, dotted, find
from agentspec.text.diagnostic import Diagnostic, Related


class Group(NamedTuple):
    """Where a layer sets one of `heads` in `section`, it drops all other `keys` of the layers below."""

    section: str
    heads: tuple[str, ...]
    keys: tuple[str, ...]
    is_whole: bool  # the layer's own mappings replace as well


ROUTE = Group(
    "model",
    heads=("provider", "model", "routes", "ladder"),
    keys=(
        *("provider", "model", "base_url", "api_key_env", "headers", "options", "routes", "ladder", "fallback"),
        *("context_window", "prices"),
    ),
    is_whole=True,
)
"""Whose server answers: no key of one layer may meet another layer's host."""

BUDGET = Group(
    "execution",
    heads=("max_iterations", "iteration_budget"),
    keys=("max_iterations", "iteration_budget"),
    is_whole=False,
)
"""Two spellings of one bound: a layer that uses one means it instead of the other, not beside it."""


def alone(root: Mapping, groups: tuple[Group, ...] = (ROUTE, BUDGET)) -> Mapping:
    """The layer with what its group keys imply; the same node where they imply nothing."""
    for group in groups:
        section = root.get(group.section)
        if isinstance(section, Mapping):
            root = _replaced(root, group.section, _section(section, group))
    return root


def foreign_hosts(tree: Mapping, layers: Items[Layer]) -> Iterator[Diagnostic]:
    """A finding where a layer names the host, and the credentials that it would be sent are of a layer below.

    What the command line sets is said by whoever starts the run.
    """
    path: Path = ("model", "base_url")
    host, top = find(tree, path), _speaker(layers, path)
    if host is None or top is None or layers[top].name.startswith("--"):
        return
    headers = find(tree, ("model", "headers"))
    names = headers.names() if isinstance(headers, Mapping) else []
    for sent in (("model", "api_key_env"), *(("model", "headers", name) for name in names)):
        node, index = find(tree, sent), _speaker(layers, sent)
        if node is not None and index is not None and index < top:
            message = f"`model.base_url` would be sent `{dotted(sent)}` of a layer below"
            help_ = "set `provider` beside it: then nothing of the layers below meets it; or set the key here, too"
            related = (Related(node.span, "this would be sent"),)
            yield finding("AS428", host.span, message, path=path, help=help_, related=related)


def _speaker(layers: Items[Layer], path: Path) -> int | None:
    """The highest layer that says something of a path."""
    return next((index for index in range(len(layers) - 1, -1, -1) if find(layers[index].root, path) is not None), None)


def _section(section: Mapping, group: Group) -> Mapping:
    head = next((e for e in section.entries if e.name in group.heads and e.operation == "set"), None)
    if head is None:
        return section
    own = set(section.names())
    place = head.key.span
    dropped = [
        Entry(key=Scalar(value=key, span=place), value=Scalar(value=None, span=place), operation="unset")
        for key in group.keys
        if key not in own
    ]
    kept = [_whole(e) if group.is_whole and e.name in group.keys else e for e in section.entries]
    return Mapping(entries=[*kept, *dropped], span=section.span, flow=section.flow, comments=section.comments)


def _whole(entry: Entry) -> Entry:
    if entry.operation != "set" or not isinstance(entry.value, Mapping):
        return entry
    return Entry(key=entry.key, value=whole(entry.value), final=entry.final, comments=entry.comments)


def _replaced(root: Mapping, name: str, value: Mapping) -> Mapping:
    if root.get(name) is value:
        return root
    entries = [each.with_value(value) if each.name == name else each for each in root.entries]
    return Mapping(entries=entries, span=root.span, flow=root.flow, comments=root.comments)
