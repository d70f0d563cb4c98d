"""files: read each file of a composition once. No file is read anywhere else in composition."""

from __future__ import annotations

import os
from pathlib import Path

from agentspec.resources import resource
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import Parsed
from agentspec.text.paths import is_file
from agentspec.text.witness import Witness, listening, repeat

_ENDINGS = (".yaml", ".agent")


class Files:
    """The parsed files that compositions share: give one to several `load` calls and no preset is read twice."""

    def __init__(self) -> None:
        self._parsed: dict[str, tuple[Parsed, Witness]] = {}

    def read(self, path: str) -> Parsed:
        """The file; what is wrong with its text is in its diagnostics. Raises `NotFound` where there is no file."""
        key = _key(path)
        if key in self._parsed:
            parsed, witness = self._parsed[key]
            repeat(witness)
            return parsed
        with listening() as witness:
            parsed = read_file(path)
        self._parsed[key] = parsed, witness
        return parsed

    def forget(self, path: str) -> None:
        """Let go of a file that was read: a thousand of them need not stay until the last is checked."""
        self._parsed.pop(_key(path), None)

    def builtin(self, folder: str, name: str) -> Parsed | None:
        """A document of `stdlib/FOLDER`, shown under that name wherever agentspec is installed; None where none is."""
        place = _builtin_path(folder, name)
        if place is None:
            return None
        parsed = self.read(str(place))
        parsed.source.name = f"stdlib/{folder}/{place.name}"
        return parsed


def _key(path: str) -> str:
    return path if "\0" in path else os.path.realpath(path)


def builtin_names(folder: str) -> list[str]:
    """The names in a folder of `stdlib`, sorted."""
    return sorted(path.stem for path in resource("stdlib", folder).iterdir() if path.suffix in _ENDINGS)


def _builtin_path(folder: str, name: str) -> Path | None:
    if not name.replace("_", "").replace("-", "").isalnum():
        return None
    places = (resource("stdlib", folder, name + ending) for ending in _ENDINGS)
    return next((place for place in places if is_file(place)), None)
