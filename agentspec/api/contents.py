"""contents: what a spec says with what its files hold in the place of their paths, as plain values.

A text of a file is its words, a skill the files in its folder, an agent that is called what it comes to. What cannot be
read stays the path that it is. Nothing is compared here.
"""

from __future__ import annotations

import hashlib
from pathlib import Path as FilePath
from typing import Any, Final

from agentspec.api.authority import asking
from agentspec.checker.questions.file_texts import file_texts
from agentspec.compose.files import Files
from agentspec.compose.libraries.inside import folders_of
from agentspec.compose.load import Composed
from agentspec.compose.project import project_folder
from agentspec.compose.reference import Target
from agentspec.compose.rights.called import called_targets
from agentspec.compose.weave import NO_OVERRIDES, weave
from agentspec.errors import NotFound
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.plain_file import read_plain
from agentspec.syntax.tree import Mapping, Path, plain
from agentspec.text.paths import files_below

MOST_CALLS: Final = 8  # agents that call agents, one in the other


def with_contents(composed: Composed, files: Files) -> dict[str, Any]:
    """The plain values of a composition with the contents of its files."""
    return _with_contents(composed.tree, asking(composed), files, 0)


def _with_contents(tree: Mapping, target: Target, files: Files, depth: int) -> dict[str, Any]:
    project = project_folder(target.parsed.source.name)
    values = plain(tree)
    assert isinstance(values, dict)
    for path, text in file_texts(tree, project):
        _set(values, path[:-1], text.value)
    for path, word in folders_of(tree):
        held = _folder(project / str(word.value))
        if held:
            _set(values, path, held)
    for name, called in called_targets(tree, target, files) if depth < MOST_CALLS else ():
        if called is not None:
            inner = weave(called, files, NO_OVERRIDES).tree
            _set(values, ("capability", "tools", name, "agent"), _with_contents(inner, called, files, depth + 1))
    return values


def _set(values: Any, path: Path, content: object) -> None:
    for step in path[:-1]:
        values = values[step]
    values[path[-1]] = content


def _folder(folder: FilePath) -> dict[str, str]:
    """The files of a folder: what is in them, or what tells that from everything else."""
    held: dict[str, str] = {}
    for name in files_below(folder).files:
        try:
            content = read_plain(folder / name, MAX_BYTES + 1)
        except NotFound:
            continue
        try:
            held[name] = content.decode()
        except UnicodeDecodeError:
            held[name] = f"SHA-256 {hashlib.sha256(content).hexdigest()}"
    return held
