"""plain_file: read a file that somebody named, without being held up or filled up by what it turns out to be.

Never more than a limit is read, and never from anything but a plain file: a pipe would wait, a device never ends.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agentspec.errors import NotFound
from agentspec.syntax.absent import no_such_file
from agentspec.text.drafts import draft_of
from agentspec.text.witness import is_heard, note


def read_plain(path: Path, most: int) -> bytes:
    """At most `most` bytes of a file. Raises `NotFound`, with a sentence for people, where there is no file to read.

    >>> read_plain(Path("/dev/zero"), 10)
    Traceback (most recent call last):
    agentspec.errors.NotFound: `/dev/zero` is not a plain file
    """
    try:
        content = _read(path, most)
    except NotFound as problem:
        note("read", path, f"! {problem}")
        raise
    if is_heard():
        note("read", path, digest_of(content))
    return content


HEAD = 4096  # bytes that tell what kind of file one is


def head_of(path: Path) -> bytes:
    """The beginning of a file; what it goes on with changes no work that looked at this. Raises `NotFound`."""
    try:
        content = _read(path, HEAD)
    except NotFound as problem:
        note("head", path, f"! {problem}")
        raise
    if is_heard():
        note("head", path, digest_of(content))
    return content


def digest_of(content: bytes) -> str:
    """What is noted of the content of a file."""
    import hashlib  # noqa: PLC0415 - a check of one file notes nothing, and does not pay for it

    return hashlib.sha256(content).hexdigest()


def _read(path: Path, most: int) -> bytes:
    draft = draft_of(path)
    if draft is not None:
        return draft[:most]
    shown = _shown(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise NotFound(_not_a_file(shown, mode))
            return _bytes_of(descriptor, most)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise NotFound(no_such_file(path)) from None
    except PermissionError:
        raise NotFound(f"no permission to read `{shown}`") from None
    except OSError as error:
        raise NotFound(f"`{shown}` cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValueError:  # a NUL in the path
        raise NotFound(f"no such file: {shown!r}") from None


def _bytes_of(descriptor: int, most: int) -> bytes:
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(descriptor, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _shown(path: Path) -> str:
    """The path; of one that no file system takes only its beginning."""
    text = str(path)
    return text if len(text) <= 1000 else f"{text[:100]}…"


def _not_a_file(shown: str, mode: int) -> str:
    if stat.S_ISDIR(mode):
        return f"`{shown}` is a folder; name a file in it"
    return f"`{shown}` is not a plain file"
