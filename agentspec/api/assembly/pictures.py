"""pictures: images that a run begins with, out of files, kept with its artifacts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from agentspec.core.messages import Picture
from agentspec.errors import NotAllowed, NotFound
from agentspec.syntax.absent import no_such_file
from agentspec.text.images import MOST, media_type_of, why_not_shown
from agentspec.text.paths import is_file

Keep: TypeAlias = Callable[[bytes], str]


def pictures_of(paths: Iterable[Path], keep: Keep, what: str) -> tuple[Picture, ...]:
    """The images in these files; `what` names the option or key that says them.

    Raises `NotFound` where there is no such file, and `NotAllowed` where it holds no image that models are shown.
    """
    return tuple(_picture(path, keep, what) for path in paths)


def _picture(path: Path, keep: Keep, what: str) -> Picture:
    if not is_file(path):
        raise NotFound(f"{what}: {no_such_file(path)}")
    try:
        with path.open("rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise NotFound(f"{what}: can't read `{path}`: {error.strerror}") from None
    problem = why_not_shown(data, len(data))
    media_type = media_type_of(data)
    if problem is not None or media_type is None:
        raise NotAllowed(f"{what}: `{path}` {problem}")
    return Picture(artifact=keep(data), media_type=media_type, size=len(data))
