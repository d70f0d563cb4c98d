"""within: the files that a spec names lie in its project. Decides by where a path really leads; opens nothing."""

from __future__ import annotations

from pathlib import Path

from agentspec.errors import NotFound
from agentspec.text.paths import real_path


def within(project: Path, name: str) -> Path:
    """The path of a file that a spec names. Raises `NotFound` where it leads out of the project, every link followed.

    >>> within(Path("/work"), "../etc/passwd")
    Traceback (most recent call last):
    agentspec.errors.NotFound: `../etc/passwd` lies outside the project folder
    """
    path = project / name
    if not Path(real_path(path)).is_relative_to(real_path(project)):
        raise NotFound(f"`{name}` lies outside the project folder")
    return path
