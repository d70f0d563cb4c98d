"""findings: what is wrong with the libraries of a document, each told at the entry of `use` that leads to it.

A library that cannot be looked into is told once, whatever is extended of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Sequence as Items
from typing import NamedTuple

from agentspec.compose.authority import CEILING
from agentspec.compose.documents import items_of
from agentspec.compose.files import Files, is_builtin
from agentspec.compose.findings import finding
from agentspec.compose.inputs import did_you_mean
from agentspec.compose.libraries.inside import words_of
from agentspec.compose.libraries.opened import Library, Trouble, Used, libraries_of
from agentspec.compose.libraries.trust import needs_above, powers, trusted
from agentspec.compose.libraries.verify import verify
from agentspec.compose.libraries.versions import LANGUAGE, read_range, read_version
from agentspec.compose.origin import Layer
from agentspec.compose.reference import PRESETS, Target
from agentspec.compose.rights.narrow import WITHIN, amount
from agentspec.syntax.tree import Entry, Mapping, Node, Path, Scalar, Sequence, dotted, find, plain
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


class Reached(NamedTuple):
    """A library that an entry of `use` leads to, by itself or by what it needs."""

    library: Library
    entry: Entry
    by: Library | None = None
    need: Span | None = None


def library_findings(target: Target, tree: Mapping, layers: Items[Layer], files: Files) -> list[Diagnostic]:
    """What there is to say about the libraries that a document and the files below it use."""
    found: list[Diagnostic] = []
    reached: list[Reached] = []
    for folder, root in _documents(target, layers):
        for entry in _uses(root):
            found += _of_entry(entry, folder, files, reached)
            found += _unused(entry, root) if root is target.root else ()
    if target.kind == "agent":
        found += _untrusted(target.root, reached, layers)
        found += _strangers(target.root, reached)
    found += _majors(reached)
    found += _denied(tree, reached, layers)
    return list(dict.fromkeys(found))


def _documents(target: Target, layers: Items[Layer]) -> Iterator[tuple[str, Mapping]]:
    """The documents of the project that a composition comes from, each with its folder."""
    yield target.folder, target.root
    for layer in layers:
        root = layer.document.root if layer.document is not None and not layer.library else None
        if layer.document is not None and isinstance(root, Mapping) and root is not target.root:
            yield os.path.dirname(layer.document.span.source.name), root  # noqa: PTH120 - a place as text


def _uses(root: Mapping) -> list[Entry]:
    uses = root.get("use")
    return uses.entries if isinstance(uses, Mapping) else []


def _of_entry(entry: Entry, folder: str, files: Files, reached: list[Reached]) -> Iterator[Diagnostic]:
    """What is wrong with what an entry of `use` leads to; adds the libraries to `reached`."""
    path = ("use", entry.name)
    used = libraries_of(files).used(entry, folder)
    if used is None:
        return
    yield from (trouble.at(place_of(entry, trouble.code), path) for trouble in used.troubles)
    told = {trouble.code for trouble in used.troubles}
    if used.library is not None:
        yield from _unpinned(entry, used.library)
        for trouble in _all_below(Reached(used.library, entry), files, (), reached):
            if trouble.code not in told:
                yield trouble.at(place_of(entry, ""), path)
    if is_builtin(PRESETS, entry.name):
        message = f"`{entry.name}` is also a built-in preset: `extends: {entry.name}` means that one"
        help_ = f"`{entry.name}.NAME` means this library; another name is clearer"
        yield finding("AS460", entry.key.span, message, path=path, help=help_)


def place_of(entry: Entry, code: str) -> Span:
    """Where an entry of `use` is told of something: at what it says of versions, else at its source."""
    key = "version" if code == "AS448" else "source"
    return (find(entry.value, (key,)) or entry.key).span


def _unpinned(entry: Entry, library: Library) -> Iterator[Diagnostic]:
    if library.source.ref or find(entry.value, ("version",)) is not None:
        return
    version = library.manifest.version
    help_ = f'write `version: "^{version.major}.{version.minor}"` beside it'
    message = f"`{entry.name}` is used in whatever version there is"
    yield finding("AS457", place_of(entry, ""), message, path=("use", entry.name), help=help_)


def _all_below(one: Reached, files: Files, above: tuple[Library, ...], reached: list[Reached]) -> Iterator[Trouble]:
    """What is wrong with a library and with all that it needs."""
    library = one.library
    folders = [each.folder for each in above]
    if library.folder in folders:
        circle = (*above[folders.index(library.folder) :], library)
        words = " → ".join(f"`{each.name}`" for each in circle)
        yield Trouble("AS450", f"libraries need each other in a circle: {words}", "take one of these needs out")
        return
    if any(each.library.folder == library.folder and each.entry is one.entry for each in reached):
        return  # another need led here: it was told
    reached.append(one)
    yield from _own(library, files)
    for need in library.manifest.needs.values():
        used = libraries_of(files).needed(library, need.name) or Used(None)
        related = Related(need.span, f"`{library.name}` needs it")
        yield from (trouble._replace(related=(*trouble.related, related)) for trouble in used.troubles)
        if used.library is not None:
            needed = Reached(used.library, one.entry, library, need.span)
            yield from _all_below(needed, files, (*above, library), reached)


def below(library: Library, files: Files) -> Iterator[Diagnostic]:
    """What is wrong with what a library needs, told where its manifest says so."""
    reached: list[Reached] = []
    for need in library.manifest.needs.values():
        used = libraries_of(files).needed(library, need.name) or Used(None)
        entry = Entry(key=Scalar(value=need.name, span=need.span), value=need.node)
        troubles = list(used.troubles)
        if used.library is not None:
            troubles += _all_below(Reached(used.library, entry, library, need.span), files, (library,), reached)
        yield from (trouble.at(need.span, ("requires", "libraries", need.name)) for trouble in troubles)


def _own(library: Library, files: Files) -> Iterator[Trouble]:
    yield from verify(library, files)
    manifest = library.manifest
    wanted, language = manifest.text("requires", "agentspec"), read_version(LANGUAGE)
    if wanted is not None and language is not None and not read_range(wanted[0]).admits(language):
        message = f"`{library.name}` needs agentspec `{wanted[0]}`, and this is {LANGUAGE}"
        yield Trouble(
            "AS448",
            message,
            f"take a version of it that is for agentspec {LANGUAGE}",
            (Related(wanted[1], "it says so here"),),
        )
    for key, code in (("deprecated", "AS452"), ("yanked", "AS453")):
        said = manifest.text(key)
        if said is not None:
            message = f"`{library.name}` {manifest.version} is {key}: {said[0]}"
            yield Trouble(
                code,
                message,
                "`agentspec lib upgrade` takes a newer version",
                (Related(said[1], "its manifest says so"),),
            )


def _unused(entry: Entry, root: Mapping) -> Iterator[Diagnostic]:
    if not any(str(word.value).startswith(f"{entry.name}.") for _, word in words_of(root)):
        help_ = f"extend `{entry.name}.NAME`, or take it out"
        yield finding(
            "AS451", entry.key.span, f"nothing here is of `{entry.name}`", path=("use", entry.name), help=help_
        )


def _untrusted(root: Mapping, reached: Items[Reached], layers: Items[Layer]) -> Iterator[Diagnostic]:
    """What libraries do, or need, that they may not without the spec's trust."""
    known = trusted(root)
    aliases = {one.library.folder: one.entry.name for one in reached if one.by is None}

    def is_trusted(library: Library) -> bool:
        return library.name in known or aliases.get(library.folder) in known

    for one in reached:
        troubles = [] if is_trusted(one.library) else list(powers(one.library, layers, known))
        if one.by is not None and one.need is not None and not is_trusted(one.by):
            troubles += needs_above(one.by, one.library, Related(one.need, "needed here"), known)
        yield from (trouble.at(place_of(one.entry, ""), ("use", one.entry.name)) for trouble in troubles)


def _strangers(root: Mapping, reached: Items[Reached]) -> Iterator[Diagnostic]:
    """A finding for each name under `trust` that no library has; none where one cannot be looked into."""
    known = {name for one in reached for name in (one.library.name, one.entry.name)}
    if not {entry.name for entry in _uses(root)} <= known:
        return
    for name, node in trusted(root).items():
        if name not in known:
            message = f"no library that this spec uses is called `{name}`{did_you_mean(name, sorted(known))}"
            yield finding("AS461", node.span, message, path=("trust",), help="take it out")


def _majors(reached: Items[Reached]) -> Iterator[Diagnostic]:
    """A finding where a spec gets a library in two majors: their presets may not go together."""
    first: dict[str, Reached] = {}
    for one in reached:
        known = first.setdefault(one.library.name, one)
        versions = known.library.manifest.version, one.library.manifest.version
        if versions[0].major != versions[1].major:
            message = f"`{one.library.name}` is used in two majors: {versions[0]} and {versions[1]}"
            related = (Related(known.need or place_of(known.entry, ""), f"{versions[0]} is asked for here"),)
            help_ = "use one of them alone"
            path = ("use", one.entry.name)
            yield finding("AS449", place_of(one.entry, ""), message, path=path, help=help_, related=related)


def _denied(tree: Mapping, reached: Items[Reached], layers: Items[Layer]) -> Iterator[Diagnostic]:
    """A finding for each right that a library has to have and the ceiling of the spec does not leave."""
    ceiling, used = find(tree, CEILING), {layer.library for layer in layers}
    for one in reached:
        needs = find(one.library.manifest.root, ("requires", "authority"))
        is_used = one.library.folder in used and isinstance(needs, Mapping) and isinstance(ceiling, Mapping)
        for path, node, bound in _beyond(needs, ceiling) if is_used else ():
            message = f"`{one.library.name}` needs `{plain(node)}` of `{dotted(path)}`, and the ceiling here is lower"
            related = (Related(node.span, "it says so here"), Related(bound.span, "the ceiling stands here"))
            help_ = "widen the ceiling, or take a library that needs less"
            keys = ("use", one.entry.name)
            yield finding("AS458", place_of(one.entry, ""), message, path=keys, help=help_, related=related)


def _beyond(needs: Node | None, ceiling: Node | None) -> Iterator[tuple[Path, Node, Node]]:
    for entry in needs.entries if isinstance(needs, Mapping) else ():
        bound = find(ceiling, (entry.name,)) if ceiling is not None else None
        if entry.name in WITHIN and isinstance(bound, Sequence):
            for item in items_of(entry.value):
                if not any(WITHIN[entry.name](item, outer) for outer in bound.items):
                    yield (*CEILING, entry.name), item, bound
        for limit in entry.value.entries if entry.name == "limits" and isinstance(entry.value, Mapping) else ():
            most = find(bound, (limit.name,)) if bound is not None else None
            asked, allowed = amount(limit.value), amount(most)
            if most is not None and asked is not None and allowed is not None and asked > allowed:
                yield (*CEILING, "limits", limit.name), limit.value, most
