"""files: read each file of a composition once. No file is read anywhere else in composition."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from agentspec.compose.documents import name_of
from agentspec.errors import NotFound
from agentspec.resources import resource
from agentspec.syntax.kept import restored
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.plain_file import read_plain
from agentspec.syntax.read import decode, read_file
from agentspec.syntax.tree import Document, Parsed
from agentspec.text.drafts import NONE, drafted
from agentspec.text.paths import is_file
from agentspec.text.witness import Witness, is_heard, listening, repeat

KEPT = Path(__file__).with_name("presets.json")  # written by `agentspec.compose.keep`
_ENDINGS = (".yaml", ".agent")


class Files:
    """The parsed files that compositions share: give one to several `load` calls and no preset is read twice.

    `drafts` are texts by real path that hold instead of what is on disk: an editor's, or those of fixes to be tried.
    """

    is_past = False  # whether files are read as they once were, so that nothing can be held against what is there

    def __init__(self, drafts: Mapping[str, str] = NONE) -> None:
        self.drafts = drafts
        self._parsed: dict[str, tuple[Parsed, Witness]] = {}
        self._named: dict[int, tuple[Parsed, dict[str, list[Document]]]] = {}
        self.beside: dict[str, object] = {}  # what else compositions find once, by who finds it
        self.lasting: set[str] = set()  # folders whose files are the same at any time: they are kept by what they are

    def read(self, path: str) -> Parsed:
        """The file; what is wrong with its text is in its diagnostics. Raises `NotFound` where there is no file."""
        return self._read(path, read_file)

    def read_if_there(self, path: str) -> Parsed | None:
        """The file, or None where there is none: for places that are only tried, of which nobody has to be told."""
        with drafted(self.drafts):
            is_there = self.is_past or is_file(path)
        if not is_there:
            return None
        try:
            return self.read(path)
        except NotFound:
            return None

    def content(self, path: str) -> bytes:
        """The bytes of a file that is no document, one more than a file may have. Raises `NotFound`, as `read`."""
        with drafted(self.drafts):
            return read_plain(Path(path), MAX_BYTES + 1)

    def _read(self, path: str, reading: Callable[[str], Parsed]) -> Parsed:
        key = _key(path)
        if key in self._parsed:
            parsed, witness = self._parsed[key]
            repeat(witness)
            return parsed
        with drafted(self.drafts):
            if is_heard():
                with listening() as witness:
                    self._parsed[key] = reading(path), witness
            else:
                self._parsed[key] = reading(path), Witness()
        return self._parsed[key][0]

    def named(self, parsed: Parsed, name: str) -> list[Document]:
        """The documents of a file that have a name; one that is asked for over and over is looked through once."""
        known, documents = self._named.get(id(parsed), (None, {}))
        if known is not parsed:
            documents = {}
            for document in parsed.documents:
                documents.setdefault(name_of(document) or "", []).append(document)
            self._named[id(parsed)] = parsed, documents
        return documents.get(name, []) if name else []

    def forget(self, path: str) -> None:
        """Let go of a file that was read: a thousand of them need not stay until the last is checked."""
        parsed, _ = self._parsed.pop(_key(path), (None, None))
        self._named.pop(id(parsed), None)

    def builtin(self, folder: str, name: str) -> Parsed | None:
        """A document of `stdlib/FOLDER`, shown under that name wherever agentspec is installed; None where none is."""
        place = _builtin_path(folder, name)
        if place is None:
            return None
        parsed = self._read(str(place), _kept_or_read)
        parsed.source.name = f"stdlib/{folder}/{place.name}"
        return parsed


def _key(path: str) -> str:
    return path if "\0" in path else os.path.realpath(path)


def builtin_files(folder: str) -> list[Path]:
    """The documents in a folder of `stdlib`, by name."""
    return sorted(path for path in resource("stdlib", folder).iterdir() if path.suffix in _ENDINGS)


def builtin_names(folder: str) -> list[str]:
    """The names in a folder of `stdlib`, sorted."""
    return [path.stem for path in builtin_files(folder)]


def is_builtin(folder: str, name: str) -> bool:
    """Whether there is a document of this name in a folder of `stdlib`."""
    return _builtin_path(folder, name) is not None


def _kept_or_read(path: str) -> Parsed:
    """A built-in file from the trees that are kept, where its text is the one that they were made of.

    Reading the DSL costs a process the import of its parser, which is dear beside a whole check of YAML.
    """
    name = os.path.basename(path)  # noqa: PTH119 - a place as text
    if not path.endswith(".agent") or name not in _kept():
        return read_file(path)
    source, problem = decode(path, read_plain(Path(path), MAX_BYTES + 1))
    return (restored(_kept()[name], source) if problem is None else None) or read_file(path)


@cache
def _kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(KEPT.read_bytes()) if KEPT.is_file() else {}
    return found


def _builtin_path(folder: str, name: str) -> Path | None:
    if not name.replace("_", "").replace("-", "").isalnum():
        return None
    places = (resource("stdlib", folder, name + ending) for ending in _ENDINGS)
    return next((place for place in places if is_file(place)), None)
