"""pictures: images that a run begins with, out of files, kept with its artifacts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from agentspec.core.messages import Picture
from agentspec.errors import NotAllowed, NotFound
from agentspec.syntax.absent import no_such_file
from agentspec.text.paths import is_file

Keep: TypeAlias = Callable[[bytes], str]
MOST = 20 << 20  # bytes of one image: more than any provider takes
STARTS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


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
    if len(data) > MOST:
        raise NotAllowed(f"{what}: `{path}` is larger than {MOST >> 20} MiB; make the image smaller")
    media_type = media_type_of(data)
    if media_type is None:
        raise NotAllowed(f"{what}: `{path}` is no PNG, JPEG, GIF or WebP image")
    return Picture(artifact=keep(data), media_type=media_type, size=len(data))


def media_type_of(data: bytes) -> str | None:
    """What kind of image some bytes are, by their beginning; None where they are none that models are shown.

    >>> media_type_of(b"GIF89a"), media_type_of(b"hello")
    ('image/gif', None)
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in STARTS.items() if data.startswith(start)), None)
