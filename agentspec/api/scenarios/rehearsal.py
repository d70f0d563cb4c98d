"""rehearsal: the folder in which a scenario is played: a copy, so that nothing of the project itself is touched.

Where the scenario brings files, it holds these and what the spec itself reads; else all that git would keep of the
project's folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from agentspec.checker.gitignore import Pattern, is_ignored, patterns_above, read_patterns
from agentspec.checker.walk import looks_like_spec
from agentspec.compose.skill_file import NAMES as SKILL_NAMES
from agentspec.errors import NotAllowed

MOST_FILES, MOST_BYTES = 2000, 64 << 20
READABLE = 1 << 20  # bytes of a file that an expectation can be about
LEFT_OUT = ("node_modules", "__pycache__")


def rehearse(project: Path, folder: Path, files: Mapping[str, str] | None, read: Iterable[Path]) -> None:
    """Fill `folder`. `read` are the files that the spec reads. Raises `NotAllowed` for a path that leads out of it, and
    for a project that is too large to copy.
    """
    for path in _whole(project) if files is None else _below(project, read):
        target = folder / path.relative_to(project)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for name, text in (files or {}).items():
        target = folder / name
        if not target.resolve().is_relative_to(folder.resolve()) or target.resolve() == folder.resolve():
            raise NotAllowed(f"`files`: `{name}` is no path below the workspace")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def stage_in(folder: Path, project: Path, read: Iterable[Path]) -> Path:
    """An empty folder for a run below `folder`, with what the spec reads outside of its project where the spec looks
    for it from there: the prompts and skills of a library that lies beside the project.
    """
    outside = {each: os.path.relpath(each, project) for path in read for each in _abroad(path, project)}
    levels = max((Path(way).parts.count("..") for way in outside.values()), default=0)
    stage = folder.joinpath(*("above" for _ in range(levels)), "workspace")
    stage.mkdir(parents=True)
    for path, way in outside.items():
        target = Path(os.path.normpath(stage / way))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    return stage


def _abroad(path: Path, project: Path) -> Iterator[Path]:
    """A file that is read outside of a project; of a skill all its files, which a run reads on demand."""
    path = Path(os.path.normpath(path))
    if path.is_relative_to(project) or _is_spec(path) or not path.is_file():
        return
    yield from sorted(each for each in path.parent.rglob("*") if each.is_file()) if path.name in SKILL_NAMES else [path]


def make_folders(project: Path, folder: Path, looked: Iterable[Path]) -> None:
    """Make the folders of the project that the spec looks for, such as the roots of its toolkits: they may be empty."""
    for path in looked:
        if path.is_relative_to(project) and path.is_dir():
            (folder / path.relative_to(project)).mkdir(parents=True, exist_ok=True)


def texts_of(folder: Path) -> dict[str, str]:
    """The files of a workspace that are texts, by path."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > READABLE:
            continue
        try:
            found[path.relative_to(folder).as_posix()] = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
    return found


def _below(project: Path, read: Iterable[Path]) -> Iterator[Path]:
    """What the spec reads of the project, without specs: prompts, schemas, skills."""
    for path in read:
        if path.is_relative_to(project) and path.is_file() and not _is_spec(path):
            yield path


def _is_spec(path: Path) -> bool:
    return path.suffix == ".agent" or looks_like_spec(path)


def _whole(project: Path) -> Iterator[Path]:
    count = size = 0
    for path in _walk(project, patterns_above(project.resolve())):
        count, size = count + 1, size + path.stat().st_size
        if count > MOST_FILES or size > MOST_BYTES:
            raise NotAllowed(
                f"the project `{project}` is too large to be copied for a scenario (at most {MOST_FILES} files of "
                f"{MOST_BYTES >> 20} MiB): write the `files` that it needs, or give it a folder of its own"
            )
        yield path


def _walk(folder: Path, patterns: list[Pattern]) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        is_folder = entry.is_dir()
        if entry.is_symlink() or is_ignored(folder.resolve() / entry.name, patterns, is_folder=is_folder):
            continue
        if is_folder:
            is_foreign = entry.name.startswith(".") or entry.name in LEFT_OUT or (entry / "pyvenv.cfg").exists()
            if not is_foreign:
                yield from _walk(entry, patterns + read_patterns(entry.resolve()))
        elif entry.is_file():
            yield entry
