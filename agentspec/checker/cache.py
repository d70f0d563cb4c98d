"""cache: what the checks of files came to, kept for as long as everything that they depend on stays the same.

It only saves time: whatever is wrong with it, the check is made anew. A run never asks it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from agentspec.checker.conceal import secrets_of
from agentspec.checker.outcome import Outcome, Plain, as_plain, from_plain
from agentspec.compose.project import HOME_VARIABLE, project_folder, project_mark, state_folder
from agentspec.errors import NotAllowed, NotFound
from agentspec.resources import resource
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.plain_file import digest_of, head_of, read_plain
from agentspec.syntax.private import make_state
from agentspec.syntax.read import decode
from agentspec.syntax.replace import replace_file
from agentspec.text import paths
from agentspec.text.source import Source
from agentspec.text.witness import Witness, listening

NAME = "check.json"
MOST_FILES = 20_000
PARTS = ("text", "syntax", "expressions", "compose", "spec", "core", "policies", "checker")
LIBRARIES = ("yaml", "cel_expr_python")
Sight = tuple[str, str, str]  # the kind of a look, an absolute path, and what was seen


class Entry(NamedTuple):
    """The kept outcome of one file, with all that was seen on the way to it."""

    sights: tuple[Sight, ...]
    plain: Plain


class Cache:
    """The kept outcomes of a project. A file is known by the path that it was given by, and the working directory."""

    def __init__(self, file: Path, most: int = MOST_FILES) -> None:
        self._file = file
        self._most = most
        self._made_by = fingerprint()
        self._entries = _read(file, self._made_by)
        self._holds: dict[Sight, bool] = {}
        self._is_changed = False

    def find(self, path: Path) -> Outcome | None:
        """What the check of a file came to, where nothing that it depends on has changed since."""
        key = _key(path)
        entry = self._entries.pop(key, None)
        if entry is None or not all(map(self._still_holds, entry.sights)):
            self._is_changed = self._is_changed or entry is not None
            return None
        self._entries[key] = entry  # the last used stand last
        return from_plain(entry.plain, Source(str(path), "")) if _is_silent(entry.plain) else _reread(path, entry)

    def keep(self, path: Path, outcome: Outcome, witness: Witness) -> None:
        """Keep an outcome, unless it cannot last or holds secrets."""
        if not witness.is_lasting or secrets_of(outcome.diagnostics):
            return
        sights = tuple((kind, place, seen) for (kind, place), seen in witness.seen.items())
        self._entries[_key(path)] = Entry(sights, as_plain(outcome))
        self._is_changed = True

    def save(self) -> None:
        """Write the file anew, in one step. Where it cannot be written the next check takes longer, and that is all."""
        if not self._is_changed:
            return
        kept = dict(list(self._entries.items())[-self._most :])
        with contextlib.suppress(OSError, NotAllowed):
            make_state(self._file.parent)
            replace_file(self._file, None, _packed(kept, self._made_by))

    def _still_holds(self, sight: Sight) -> bool:
        if sight not in self._holds:
            self._holds[sight] = _look(sight[0], sight[1]) == sight[2]
        return self._holds[sight]


def cache_for(given: list[Path]) -> Cache | None:
    """The cache for a check of these paths, where there is a place for it.

    Nothing is written where no project is: a folder `.agentspec` would make one.
    """
    project = project_folder(given[0])
    if project_mark(project) is None and not os.environ.get(HOME_VARIABLE):
        return None
    return Cache(state_folder(project) / NAME)


def fingerprint() -> str:
    """What tells one installed version of the checker, its data, libraries and settings, from any other."""
    home = os.path.expanduser("~")  # noqa: PTH111 - it may be unknown
    told = [sys.version, str(Path(__file__).parent), home, os.environ.get(HOME_VARIABLE, "")]
    for name in LIBRARIES:
        spec = find_spec(name)
        told += _described(spec.origin) if spec is not None and spec.origin else [name]
    package = Path(__file__).parent.parent
    for folder in (*(package / part for part in PARTS), resource("stdlib")):
        for place, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            told += [text for name in sorted(names) for text in _described(os.path.join(place, name))]  # noqa: PTH118
    return hashlib.sha256("\n".join(told).encode("utf-8", "surrogateescape")).hexdigest()


def _described(file: str) -> list[str]:
    try:
        stat = os.stat(file)  # noqa: PTH116 - as text
    except OSError:  # it may lie in an archive
        return [file]
    return [file, str(stat.st_size), str(stat.st_mtime_ns)]


def _key(path: Path) -> str:
    try:
        return f"{os.getcwd()}\n{path}"  # noqa: PTH109 - as text
    except OSError:  # it is gone
        return f"\n{path}"


def _look(kind: str, path: str) -> str | None:
    """What a look of some kind shows now."""
    with listening() as witness, contextlib.suppress(NotFound):
        LOOKS[kind](path)
    return witness.seen.get((kind, path))


LOOKS: dict[str, Callable[[str], object]] = {
    "read": lambda path: read_plain(Path(path), MAX_BYTES + 1),
    "head": lambda path: head_of(Path(path)),
    "file": paths.is_file,
    "folder": paths.is_folder,
    "program": paths.is_program,
    "size": paths.size_of,
    "there": paths.is_there,
    "files": paths.files_in,
    "real": paths.real_path,
    "below": paths.files_below,
}


def _is_silent(plain: Plain) -> bool:
    """Whether nothing of an outcome has a place, so that the text is not needed."""
    return not plain.findings and not plain.ignores


def _reread(path: Path, entry: Entry) -> Outcome | None:
    """The outcome with the text of its file, which is read once more; None where it changed in between."""
    try:
        content = read_plain(path, MAX_BYTES + 1)
    except NotFound:
        return None
    is_same = any(kind == "read" and seen == digest_of(content) for kind, _, seen in entry.sights)
    return from_plain(entry.plain, decode(str(path), content)[0]) if is_same else None


def _packed(entries: dict[str, Entry], made_by: str) -> bytes:
    """The bytes of a cache: their digest, then JSON in which every sight and every text stands once."""
    sights: dict[Sight, int] = {}
    texts: dict[tuple[str, str], int] = {}
    files = {
        key: (
            [sights.setdefault(sight, len(sights)) for sight in entry.sights],
            [texts.setdefault(text, len(texts)) for text in map(_pair, entry.plain.texts)],
            *entry.plain[1:],
        )
        for key, entry in entries.items()
    }
    value = {"made_by": made_by, "sights": list(sights), "texts": list(texts), "files": files}
    content = json.dumps(value, separators=(",", ":")).encode()
    return digest_of(content).encode() + b"\n" + content


def _pair(text: tuple[str, str]) -> tuple[str, str]:
    return text[0], text[1]


def _read(file: Path, made_by: str) -> dict[str, Entry]:
    """What a file of that kind holds; nothing where it is damaged or of another version."""
    try:
        digest, _, content = file.read_bytes().partition(b"\n")
        if digest.decode() != digest_of(content):
            return {}
        return _unpacked(json.loads(content), made_by)
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return {}


def _unpacked(value: dict[str, Any], made_by: str) -> dict[str, Entry]:
    if value["made_by"] != made_by:
        return {}
    sights = [(kind, path, seen) for kind, path, seen in value["sights"]]
    texts = [(name, text) for name, text in value["texts"]]
    return {
        key: Entry(tuple(sights[one] for one in seen), Plain([texts[one] for one in beside], *rest))
        for key, (seen, beside, *rest) in value["files"].items()
    }
