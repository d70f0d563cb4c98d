"""beside: what a document can mean of what lies beside it: documents in other files, exports of libraries, files.

Other files are not parsed for it: their first words tell what they hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import NamedTuple

from agentspec.compose.documents import FILE_ENDINGS, kind_of, name_of
from agentspec.compose.libraries.find import FOLDERS as FOLDERS_OF_PRESETS
from agentspec.compose.libraries.opened import PLACES, libraries_of
from agentspec.compose.project import MANIFESTS
from agentspec.compose.skill_file import NAMES
from agentspec.errors import NotFound
from agentspec.lsp.sheet import Part
from agentspec.text.paths import files_in, is_file

MOST_FILES, MOST_BYTES = 200, 1 << 18  # that are looked into, and of each
HEAD_OF_YAML = re.compile(
    r"^[{\s]?\s?\s?[\"']?(name|preset|library|scenario)[\"']?[ \t]*:[ \t]*[\"']?([\w.-]*)", re.MULTILINE
)
HEAD_OF_DSL = re.compile(r"^(agent|preset|library|scenario)[ \t]+[\"']?([\w.-]*)", re.MULTILINE)
CALLING = re.compile(r"\bsubagents\b|\bagent[\"']?[ \t]*:")
SUFFIXES = {
    "file": (".md", ".txt"),
    "schema": (".json",),
    "images": (".gif", ".jpeg", ".jpg", ".png", ".webp"),
    "instructions_files": (".md",),
}
"""The files that a key may name, by their endings."""
FOLDERS = ("root", "roots", "repo", "cwd", "writable", "external_roots")
"""The keys that name a folder."""


class Head(NamedTuple):
    """A document of a file, by its first words, and all of its text."""

    kind: str
    name: str
    text: str


def own_documents(part: Part, kinds: tuple[str, ...]) -> Iterator[str]:
    """The other documents of the same file."""
    for document in part.composed.parsed.documents:
        name = name_of(document)
        if name and document is not part.composed.document and kind_of(document) in kinds:
            yield name


def callable_agents(part: Part) -> Iterator[str]:
    """The agents that a tool may call: those that call none themselves."""
    calling = {name for name, calls in part.subject.agents.items() if calls}
    yield from (name for name in own_documents(part, ("agent",)) if name not in calling)
    yield from other_documents(part, ("agent",), has_calls=False)


def other_documents(part: Part, kinds: tuple[str, ...], *, has_calls: bool = True) -> Iterator[str]:
    """The documents of files beside it: a file that has only one is its name, of others each is named."""
    own = os.path.basename(part.sheet.path)  # noqa: PTH119 - as composition has it
    files = [name for name in files_in(part.target.folder) if name.endswith(FILE_ENDINGS) and name != own]
    for file in files[:MOST_FILES]:
        heads = [head for head in _heads(file, _text(part, file)) if head.kind in kinds]
        for head in heads:
            if has_calls or not CALLING.search(head.text):
                yield f"./{file}" if len(heads) == 1 else f"./{file}#{head.name}"


def _text(part: Part, file: str) -> str:
    path = os.path.join(part.target.folder, file)  # noqa: PTH118 - as above
    try:
        return part.sheet.files.content(path)[:MOST_BYTES].decode(errors="replace")
    except NotFound:
        return ""


def _heads(file: str, text: str) -> list[Head]:
    """The documents of a text. In YAML an agent is what has a `name` and none of the other heads."""
    if file.endswith(".agent"):
        starts = [*HEAD_OF_DSL.finditer(text)]
        ends = [*(each.start() for each in starts[1:]), len(text)]
        return [Head(each[1], each[2], text[each.start() : end]) for each, end in zip(starts, ends, strict=True)]
    found = []
    for piece in re.split(r"^---", text, flags=re.MULTILINE):
        heads: list[tuple[str, str]] = HEAD_OF_YAML.findall(piece)
        if heads:
            kind, name = min(heads, key=lambda head: head[0] == "name")
            found.append(Head("agent" if kind == "name" else kind, name, piece))
    return found


def exports(part: Part, *kinds: str) -> Iterator[str]:
    """What the libraries of `use` export of some kinds, as `alias.NAME`."""
    libraries = libraries_of(part.sheet.files)
    for entry in part.subject.entries("use"):
        used = libraries.used(entry, part.target.folder)
        known = used.library.manifest.exports if used is not None and used.library is not None else {}
        yield from (f"{entry.name}.{name}" for kind in kinds for name in known.get(kind, ()))


def exportable(part: Part, kind: str) -> Iterator[str]:
    """What a library has that it could export of a kind."""
    folder = FilePath(part.target.folder or ".", kind)
    if kind in FOLDERS_OF_PRESETS:
        yield from own_documents(part, ("preset",))
        yield from (name.partition(".")[0] for name in files_in(folder) if name.endswith(FILE_ENDINGS))
    elif kind == "skills":
        yield from _folders(folder)
    elif kind in PLACES:
        ending = PLACES[kind].partition("{}")[2]
        yield from (name.removesuffix(ending) for name in files_in(folder) if name.endswith(ending))


def sources(part: Part) -> Iterator[str]:
    """The folders beside it that are libraries."""
    folder = FilePath(part.target.folder or ".")
    for place, prefix in ((folder, "./"), (folder.parent, "../")):
        names = (name for name in _folders(place) if any(is_file(place / name / manifest) for manifest in MANIFESTS))
        yield from (f"{prefix}{name}" for name in names if place / name != folder)


def files_for(part: Part, key: str, lead: str) -> Iterator[str]:
    """The files, folders or skills that a key may name, as far as they begin with what is typed."""
    typed = lead.rpartition("/")[0]
    folder, prefix = FilePath(part.composed.project, typed), f"{typed}/" if typed else ""
    inner = _folders(folder)
    if key in SUFFIXES:
        yield from (f"{prefix}{name}" for name in files_in(folder) if name.lower().endswith(SUFFIXES[key]))
        yield from (f"{prefix}{name}/" for name in inner)
    elif key in FOLDERS:
        yield from (f"{prefix}{name}" for name in inner)


def skills_for(part: Part, lead: str) -> Iterator[str]:
    """The folders of skills that may be named, as far as they begin with what is typed."""
    typed = lead.rpartition("/")[0] or "."
    folder = FilePath(part.composed.project, typed)
    for name in _folders(folder):
        is_skill = any(is_file(folder / name / file) for file in NAMES)
        yield f"{typed}/{name}" if is_skill else f"{typed}/{name}/"


def _folders(folder: FilePath) -> list[str]:
    try:
        found = sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError:
        return []
    return found[:MOST_FILES]
