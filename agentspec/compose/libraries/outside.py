"""outside: the paths by which a layer of a library would reach outside of the project.

A path is judged by its words alone: where links lead is the business of the run, which opens paths below a folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from agentspec.compose.rights.left import Right
from agentspec.syntax.tree import Mapping, Path, Scalar, walk

PATHS: Final = frozenset(
    (
        *("root", "repo", "cwd", "external_roots", "writable", "schema", "images", "instructions_files"),
        *("working_files", "fingerprint", "require_artifacts", "jsonl", "transcript_dir", "report", "path"),
        "file",  # of a script; those of texts are in their place by now
    )
)
"""The keys that name a file or a folder of the project. Texts, skills and agents are found in the library itself."""
MODELS: Final = frozenset(("model", "fallback", "ladder"))
"""The keys of models: those of `local` are files."""
DATA: Final = frozenset(("parameters", "inputs", "returns", "examples", "defaults", "schema"))
"""Where keys are names of somebody else."""

_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[\\/]")
_SQLITE = re.compile(r"sqlite[^:/]*:///(file:)?([^?]*)")


def outside(root: Mapping) -> Iterator[Right]:
    """Each path of a layer that leads out of the project, with its place."""
    for path, node in walk(root):
        text = node.value if isinstance(node, Scalar) else None
        place = _place(path, text) if isinstance(text, str) and not DATA & set(path[:-1]) else None
        if place is not None and leads_outside(place):
            yield Right(place, node, path)


def _place(path: Path, text: str) -> str | None:
    """The path that a text means, by the key that it stands at; None where it is none."""
    keys = [step for step in path if isinstance(step, str)]
    key = keys[-1] if keys else ""
    if key in PATHS:
        return text
    if key in MODELS:
        return text.removeprefix("local:")
    if key == "url":
        return _database(text)
    return None


def _database(url: str) -> str | None:
    """The file of a database, or None."""
    match = _SQLITE.match(url)
    return None if match is None else unquote(match[2]) if match[1] else match[2]


def leads_outside(path: str) -> bool:
    """Whether a path leads out of the folder that it begins in.

    >>> [leads_outside(each) for each in ("a/b", "..", "a/../../b", "/etc", "~/x", "..a")]
    [False, True, True, True, True, False]
    """
    near = posixpath.normpath(path.replace("\\", "/"))
    return _ABSOLUTE.match(path) is not None or near == ".." or near.startswith("../")
