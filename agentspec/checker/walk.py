"""walk: which files a path stands for. A file given by name is always taken; a folder only gives what looks like specs.

In folders: `*.agent`, and YAML or JSON that looks like a spec.
Left out: hidden folders, `node_modules`, virtual environments, and what git ignores.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.gitignore import Pattern, is_ignored, patterns_above, read_patterns
from agentspec.checker.likeness import is_like_spec
from agentspec.text.paths import is_folder, is_there

YAML_NAMES = (".yaml", ".yml", ".json")
PEEK_LIMIT = 4 * 1024 * 1024


class Found(NamedTuple):
    """The files to check, what was passed over in folders, and the paths that do not exist."""

    files: list[Path]
    skipped: list[Path]
    missing: list[Path]
    has_folder: bool


def find_specs(paths: list[Path]) -> Found:
    """The files that the given paths stand for, each once, by name."""
    files: dict[Path, Path] = {}
    missing: list[Path] = []
    skipped: list[Path] = []
    has_folder = False
    for path in paths:
        if is_folder(path):
            has_folder = True
            for file, is_spec in _walk(path, patterns_above(path.resolve())):
                if is_spec:
                    files.setdefault(file.resolve(), file)
                else:
                    skipped.append(file)
        elif is_there(path):
            files.setdefault(path.resolve(), path)
        else:
            missing.append(path)
    return Found(sorted(files.values()), skipped, missing, has_folder)


def _walk(folder: Path, patterns: list[Pattern]) -> Iterator[tuple[Path, bool]]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        is_folder = entry.is_dir()
        if is_ignored(folder.resolve() / entry.name, patterns, is_folder=is_folder):
            continue
        if is_folder:
            if not _is_foreign(entry):
                yield from _walk(entry, patterns + read_patterns(entry.resolve()))
        elif entry.suffix == ".agent":
            yield entry, True
        elif entry.suffix in YAML_NAMES and entry.is_file():
            yield entry, looks_like_spec(entry)


def _is_foreign(folder: Path) -> bool:
    # A link to a folder is not followed: it may lead back up, and what it leads to has a place of its own.
    is_hidden = folder.name.startswith(".")
    return is_hidden or folder.name == "node_modules" or folder.is_symlink() or (folder / "pyvenv.cfg").exists()


def looks_like_spec(path: Path) -> bool:
    """Whether a YAML or JSON file holds a document of ours, told by its top-level keys without parsing it."""
    try:
        with path.open("rb") as stream:
            return is_like_spec(stream.read(PEEK_LIMIT).decode("utf-8-sig", errors="replace"))
    except OSError:
        return False
