"""called: the agents that a spec calls as tools, composed, and what of theirs its ceiling never lets be used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Mapping as Trees

from agentspec.compose.authority import CEILING
from agentspec.compose.documents import looks_like_file, split_reference
from agentspec.compose.files import Files
from agentspec.compose.findings import finding
from agentspec.compose.reference import Target, choose
from agentspec.compose.rights.of_agents import never_called
from agentspec.compose.weave import NO_OVERRIDES, weave
from agentspec.errors import NotFound
from agentspec.syntax.tree import Document, Mapping, find, plain
from agentspec.text.diagnostic import Diagnostic, Related

MOST_NAMED = 3


def called_trees(tree: Mapping, asking: Target, files: Files) -> dict[str, Mapping]:
    """The effective trees of the agents that are tools of a spec, by the tool's name. One that cannot be found is left
    out; what it calls itself is not looked at.
    """
    targets = called_targets(tree, asking, files)
    return {name: weave(target, files, NO_OVERRIDES).tree for name, target in targets if target is not None}


def unknown_called(tree: Mapping, asking: Target, files: Files) -> list[str]:
    """The tools whose agents cannot be found, or are broken: what those may do is not known in full."""
    return [
        name for name, target in called_targets(tree, asking, files) if target is None or not _is_sound(target, files)
    ]


def _is_sound(target: Target, files: Files) -> bool:
    woven = weave(target, files, NO_OVERRIDES)
    return all(found.severity != "error" for found in (*target.parsed.diagnostics, *woven.findings))


def called_targets(tree: Mapping, asking: Target, files: Files) -> Iterator[tuple[str, Target | None]]:
    """The agents that are tools of a spec, by the tool's name; None for one that cannot be found."""
    section = find(tree, ("capability", "tools"))
    for entry in section.entries if isinstance(section, Mapping) else ():
        reference = find(entry.value, ("agent",))
        if reference is not None:
            yield entry.name, find_called(str(plain(reference)), asking, files)


def find_called(reference: str, asking: Target, files: Files) -> Target | None:
    """The agent that a word means: one of the same file, or of a file beside it."""
    if not looks_like_file(reference):
        named = files.named(asking.parsed, reference)
        return Target(asking.parsed, named[0], asking.folder, "spec", reference) if named else None
    file, name = split_reference(reference)
    path = os.path.normpath(os.path.join(asking.folder, file))  # noqa: PTH118 - `Path` would drop `./` and keep `..`
    try:
        parsed = files.read(path)
    except NotFound:
        return None
    document = choose(parsed, name, asking.root.span, file, ("agent",))
    folder = os.path.dirname(path)  # noqa: PTH120 - as above
    return Target(parsed, document, folder, "spec", reference) if isinstance(document, Document) else None


def beyond_reach(tree: Mapping, called: Trees[str, Mapping]) -> Iterator[Diagnostic]:
    """A finding for each agent of whose tools the caller's ceiling forbids some."""
    ceiling = find(tree, CEILING)
    for name, inner in called.items():
        path = ("capability", "tools", name, "agent")
        place, forbidden = find(tree, path), never_called(name, inner, tree)
        if ceiling is None or place is None or not forbidden:
            continue
        more = f" and {len(forbidden) - MOST_NAMED} more tools" if len(forbidden) > MOST_NAMED else ""
        listed = ", ".join(f"`{each.name}`" for each in forbidden[:MOST_NAMED])
        message = f"{listed}{more} of `{plain(place)}` can never be called here"
        related = (Related(ceiling.span, "the ceiling stands here"), Related(forbidden[0].span, "a tool beyond it"))
        help_ = "widen the ceiling, or call an agent that needs less"
        yield finding("AS429", place.span, message, path=path, help=help_, related=related)
