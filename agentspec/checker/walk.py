"""walk: which files a path stands for. A file given by name is always taken; a folder only gives what looks like specs.

In folders: `*.agent`, and YAML or JSON with a top-level `preset`, `library`, `scenario`, or `name` beside a section.
Left out: hidden folders, `node_modules`, virtual environments, and what git ignores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from agentspec.checker.gitignore import Pattern, is_ignored, patterns_above, read_patterns

YAML_NAMES = (".yaml", ".yml", ".json")
SECTIONS = "model|execution|capability|lifecycle|context|observability"
# A key at the start of a line: at the top level of a block mapping.
_BLOCK_KEY = r"^[\"']?(?:{})[\"']?\s*:"
PEEK_LIMIT = 4 * 1024 * 1024


class Found(NamedTuple):
    """The files to check, how many were passed over in folders, and the paths that do not exist."""

    files: list[Path]
    skipped: int
    missing: list[Path]
    has_folder: bool


def find_specs(paths: list[Path]) -> Found:
    """The files that the given paths stand for, each once, by name."""
    files: dict[Path, Path] = {}
    missing: list[Path] = []
    skipped = 0
    has_folder = False
    for path in paths:
        if path.is_dir():
            has_folder = True
            for file, is_spec in _walk(path, patterns_above(path.resolve())):
                if is_spec:
                    files.setdefault(file.resolve(), file)
                else:
                    skipped += 1
        elif path.exists():
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
            text = stream.read(PEEK_LIMIT).decode("utf-8-sig", errors="replace")
    except OSError:
        return False
    if text.lstrip().startswith("{"):
        return _json_looks_like_spec(text)
    if re.search(_BLOCK_KEY.format("preset|library|scenario"), text, re.MULTILINE):
        return True
    has_name = re.search(_BLOCK_KEY.format("name"), text, re.MULTILINE)
    return bool(has_name and re.search(_BLOCK_KEY.format(SECTIONS), text, re.MULTILINE))


def _json_looks_like_spec(text: str) -> bool:
    top = _top_level_keys(text)
    return bool(top & {"preset", "library", "scenario"}) or ("name" in top and bool(top & set(SECTIONS.split("|"))))


_TOKENS = r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+'


def _top_level_keys(text: str) -> set[str]:
    keys: set[str] = set()
    depth = 0
    before = ""
    for piece in re.findall(_TOKENS, text, re.DOTALL):
        if piece in "{[":
            depth += 1
        elif piece in "}]":
            depth -= 1
        elif piece == ":" and depth == 1:
            keys.add(before.strip("\"'"))
        before = piece
    return keys
