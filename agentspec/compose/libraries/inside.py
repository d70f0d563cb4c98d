"""inside: the files of a library that its presets name, put where they are named, and those that a spec takes from it.

A text comes into the document itself, with its places in its own file; a skill's folder is named as the project sees
it. What lies in no library is left as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from agentspec.compose.authority import put
from agentspec.compose.documents import items_of, looks_like_file, split_reference
from agentspec.compose.files import Files
from agentspec.compose.findings import clip, finding
from agentspec.compose.inputs import did_you_mean
from agentspec.compose.libraries.find import leads_out
from agentspec.compose.libraries.opened import PLACES, Library, libraries_of
from agentspec.compose.reference import Target
from agentspec.errors import NotFound
from agentspec.syntax.read import decode
from agentspec.syntax.tree import Broken, Mapping, Node, Path, Scalar, find
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.secret_names import secret_rule
from agentspec.text.source import Span

SYSTEM: Path = ("context", "system")
PROMPTS: Path = ("context", "prompts")
SKILLS: Path = ("capability", "skills")
TOOLS: Path = ("capability", "tools")

Place = Callable[[Scalar, str], str | Diagnostic | None]
"""The path of a file that a word means, by its kind of export; None where it means none of a library."""


def with_library_files(root: Mapping, target: Target, files: Files, found: list[Diagnostic], folder: str) -> Mapping:
    """The document with the texts and skills that it takes from libraries, and the agents that it calls there, named
    from the folder of the spec that is composed. What cannot be had is told, and unknown.
    """
    place = _of_library(target, files, folder) if target.library else _of_use(target, files)
    for path, kind in _places(root):
        node = find(root, path)
        word = find(node, ("file",)) if kind == "prompts" and node is not None else node
        where = place(word, kind) if isinstance(word, Scalar) and isinstance(word.value, str) else None
        if where is None or not isinstance(word, Scalar):
            continue
        new = _text(word, where, files) if isinstance(where, str) and kind == "prompts" else where
        if isinstance(new, Diagnostic):
            found.append(new)
        root = put(root, path, _node(word, new))
    return root


def words_of(root: Mapping) -> list[tuple[str, Scalar]]:
    """The words by which a document may mean something of a library, by kind of export: what it extends, its texts,
    skills and agents.
    """
    extended = [item.get("use") if isinstance(item, Mapping) else item for item in items_of(root.get("extends"))]
    nodes: list[tuple[str, Node | None]] = [("presets", node) for node in extended]
    for path, kind in _places(root):
        node = find(root, path)
        nodes.append((kind, find(node, ("file",)) if kind == "prompts" and node is not None else node))
    return [(kind, node) for kind, node in nodes if isinstance(node, Scalar)]


def folders_of(root: Mapping) -> list[tuple[Path, Scalar]]:
    """Where a document names the folder of a skill."""
    return _words(root, "skills")


def agents_of(root: Mapping) -> list[tuple[Path, Scalar]]:
    """Where a document names an agent that it calls."""
    return _words(root, "agents")


def _words(root: Mapping, wanted: str) -> list[tuple[Path, Scalar]]:
    nodes = [(path, find(root, path)) for path, kind in _places(root) if kind == wanted]
    return [(path, node) for path, node in nodes if isinstance(node, Scalar) and isinstance(node.value, str)]


def _places(root: Mapping) -> list[tuple[Path, str]]:
    """Where a document may name a file of a library: system text, wordings, skills, agents that are called."""
    found: list[tuple[Path, str]] = [(SYSTEM, "prompts")]
    prompts, skills = find(root, PROMPTS), find(root, SKILLS)
    found += [
        ((*PROMPTS, entry.name), "prompts") for entry in (prompts.entries if isinstance(prompts, Mapping) else ())
    ]
    tools = find(root, TOOLS)
    found += [((*TOOLS, name, "agent"), "agents") for name in (tools.names() if isinstance(tools, Mapping) else ())]
    for entry in skills.entries if isinstance(skills, Mapping) else ():
        is_whole = isinstance(entry.value, Mapping)
        found.append(((*SKILLS, entry.name, "folder") if is_whole else (*SKILLS, entry.name), "skills"))
    return found


def _node(word: Scalar, new: str | Scalar | Diagnostic) -> Node:
    match new:
        case str():
            return Scalar(value=new, span=word.span)
        case Scalar():
            return new
        case _:
            return Broken(span=word.span)


def _text(word: Scalar, path: str, files: Files) -> Scalar | Diagnostic:
    """The text of a file, with its places there; or why it cannot be read."""
    rule = secret_rule(path)
    if rule:
        return finding("AS442", word.span, f"`{path}` may hold secrets (`{rule}`); such files are never read")
    try:
        source, problem = decode(path, files.content(path))
    except NotFound as gone:
        return finding("AS442", word.span, str(gone))
    if problem is not None:
        return finding("AS442", word.span, f"`{path}` cannot be used: {problem.message}")
    return Scalar(value=source.text, span=Span(source, 0, len(source.text)))


def _of_library(target: Target, files: Files, folder: str) -> Place:
    """Words in a file of a library are paths from that library's folder; agents are named from the file itself."""
    library = libraries_of(files).by_folder[target.library]

    def place(word: Scalar, kind: str) -> str | Diagnostic | None:
        if kind != "agents":
            return _checked(word, library, str(word.value), kind)
        file, name = split_reference(str(word.value))
        full = os.path.normpath(os.path.join(target.folder, file))  # noqa: PTH118 - a place as text
        trouble = leads_out(library, full) if looks_like_file(str(word.value)) else None
        if trouble is not None or not looks_like_file(str(word.value)):
            return None if trouble is None else trouble.at(word.span, ())
        return os.path.relpath(full, folder or ".") + (f"#{name}" if name else "")

    return place


def _of_use(target: Target, files: Files) -> Place:
    """Words of a spec are `alias.NAME` of a library that it uses, or nothing of a library."""
    uses = target.root.get("use")

    def place(word: Scalar, kind: str) -> str | Diagnostic | None:
        alias, dot, name = str(word.value).partition(".")
        entry = uses.entry(alias) if isinstance(uses, Mapping) and dot else None
        used = libraries_of(files).used(entry, target.folder) if entry is not None else None
        if used is None or used.library is None or kind not in PLACES:
            return None
        known = used.library.manifest.exports[kind]
        if name not in known:
            message = f"`{used.library.name}` exports no `{clip(name)}` among its {kind}{did_you_mean(name, known)}"
            return finding("AS445", word.span, message)
        return _checked(word, used.library, PLACES[kind].format(name), kind)

    return place


def _checked(word: Scalar, library: Library, path: str, kind: str) -> str | Diagnostic:
    """The path as it is reached: a skill's from the project, as it is looked for from there."""
    full = os.path.normpath(os.path.join(library.folder, path))  # noqa: PTH118 - a place as text
    trouble = leads_out(library, full)
    if trouble is not None:
        return trouble.at(word.span, ())
    return os.path.relpath(full, library.project) if kind == "skills" else full
