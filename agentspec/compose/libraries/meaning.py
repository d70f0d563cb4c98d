"""meaning: what each export of a library comes to, as one digest: two texts that mean the same give the same.

Spelling, comments, the order of keys and how a value is written don't count, nor does what a document says about
itself. What an export builds on in its library counts with it; what others offer counts by its name.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator

from agentspec.compose.authority import put
from agentspec.compose.documents import items_of, name_of
from agentspec.compose.files import Files
from agentspec.compose.libraries.find import FOLDERS, presets_of
from agentspec.compose.libraries.inside import folders_of, with_library_files
from agentspec.compose.libraries.opened import PLACES, Library, libraries_of
from agentspec.compose.libraries.spelling import meant
from agentspec.compose.reference import Target, find_target
from agentspec.compose.rights.called import called_targets
from agentspec.compose.weave import NO_OVERRIDES, weave
from agentspec.errors import NotFound
from agentspec.syntax.tree import Mapping, Node, Scalar, find
from agentspec.text.paths import files_below

KNOWN = "models.known"  # among the digests: what a library knows of models
ABOUT = frozenset(("description", "version", "preset"))  # what says nothing of the runs to come
MOST_STEPS = 64


def meanings(library: Library, files: Files) -> dict[str, str]:
    """The digest of every export, as `presets.NAME`, and of what is known of models, as `KNOWN`. An export that
    is not there has an empty one.
    """
    models = find(library.manifest.root, ("models",))
    found = {} if models is None else {KNOWN: _digest(json.dumps(meant(models), sort_keys=True).encode())}
    for kind, names in library.manifest.exports.items():
        for name in names:
            found[f"{kind}.{name}"] = (
                _preset(library, name, files) if kind in FOLDERS else _files(library, PLACES[kind].format(name), files)
            )
    return found


def named(others: Iterable[str]) -> list[str]:
    """Some of them as they are told: an export by its name."""
    return ["what it knows of models" if name == KNOWN else f"`{name.partition('.')[2]}`" for name in others]


def _preset(library: Library, name: str, files: Files) -> str:
    target = next(presets_of(library, name, files), None)
    if target is None:
        return ""
    ceiling = library.manifest.ceiling
    form = {"ceiling": meant(ceiling) if ceiling is not None else None, "preset": _form(target, files, 0)}
    agents = _agents(target, files)
    form |= {"agents": agents} if agents else {}
    return _digest(json.dumps(form, sort_keys=True, ensure_ascii=False).encode())


def _form(target: Target, files: Files, steps: int) -> object:
    """The normal form of a document with all that it builds on in its library."""
    kept = [entry for entry in target.root.entries if entry.name not in ABOUT and entry.name != "extends"]
    own = meant(_with_contents(Mapping(entries=kept, span=target.root.span), target, files))
    return {"own": own, "extends": [_item(item, target, files, steps) for item in items_of(target.root.get("extends"))]}


def _agents(target: Target, files: Files) -> dict[str, object]:
    """The agents that a document of a library calls, and those that they call, each by its place there."""
    found: dict[str, object] = {}
    left = [target]
    while left:
        asking = left.pop()
        for _, called in called_targets(weave(asking, files, NO_OVERRIDES).tree, asking, files):
            if called is None:
                continue
            place = f"{os.path.relpath(called.parsed.source.name, target.library)}#{name_of(called.document)}"
            if place not in found:
                left.append(called._replace(library=target.library))
                found[place] = _form(left[-1], files, 0)
    return found


def _with_contents(root: Mapping, target: Target, files: Files) -> Mapping:
    """The document with its texts in it, and in the place of a skill's folder the digest of what is in there."""
    library = libraries_of(files).by_folder[target.library]
    whole = with_library_files(root, target, files, [], target.folder)
    for path, word in folders_of(root):
        digest = _files(library, os.path.normpath(str(word.value)), files)
        whole = put(whole, path, Scalar(value=digest, span=word.span))
    return whole


def _item(item: Node, target: Target, files: Files, steps: int) -> object:
    reference = item.get("use") if isinstance(item, Mapping) else item
    if not isinstance(reference, Scalar) or steps > MOST_STEPS:
        return meant(item)
    found = find_target(reference, target, files)
    is_own = isinstance(found, Target) and found.library == target.library
    what = _form(found, files, steps + 1) if is_own and isinstance(found, Target) else str(reference.value)
    given = item.get("with") if isinstance(item, Mapping) else None
    return {"use": what, "with": meant(given, "with") if given is not None else None}


def _files(library: Library, place: str, files: Files) -> str:
    """The digest of the bytes of a file, or of all files of a folder; empty where there is none."""
    found = list(_bytes_of(library, place, files))
    return _digest(json.dumps(found).encode()) if found else ""


def _bytes_of(library: Library, place: str, files: Files) -> Iterator[tuple[str, str]]:
    inner = [f"{place}/{name}" for name in files_below(os.path.join(library.folder, place)).files]  # noqa: PTH118
    for name in inner or [place]:
        try:
            content = files.content(os.path.join(library.folder, name))  # noqa: PTH118 - a place as text
        except NotFound:
            continue
        yield name, _digest(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
