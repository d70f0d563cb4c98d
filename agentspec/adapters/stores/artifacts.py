"""artifacts: large outputs in files named by the SHA-256 of their bytes.

Written under a name of its own and then renamed, so that nobody ever reads half a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
from pathlib import Path
from uuid import uuid4

from agentspec.errors import JournalError, NotFound
from agentspec.syntax.private import make_private, private_file

_ID = re.compile(r"[0-9a-f]{64}\Z")


class FileArtifacts:
    """The artifacts of a folder, which is made with the first of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes | Path) -> str:
        """Keep these bytes, or take a file over, and return its id. Raises `JournalError`.

        A file that is taken over is gone afterwards, also where it could not be kept. Only its owner can read what is
        kept: a tool prints what it likes.
        """
        passing = self.folder / f".new-{uuid4().hex}"
        try:
            make_private(self.folder)
            if isinstance(data, Path):
                with data.open("rb") as file:
                    artifact = hashlib.file_digest(file, "sha256").hexdigest()
                shutil.move(data, passing)
                passing.chmod(0o600)
            else:
                artifact = hashlib.sha256(data).hexdigest()
                with private_file(passing) as file:
                    file.write(data)
            target = self._path(artifact)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            passing.replace(target)
        except OSError as error:
            for left in (passing, data):
                if isinstance(left, Path):
                    with contextlib.suppress(OSError):
                        left.unlink()
            raise JournalError(f"an output can't be kept in `{self.folder}`: {error.strerror}") from error
        return artifact

    def read(self, artifact: str, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset`. Raises `NotFound` where there is no such artifact."""
        try:
            with self._path(artifact).open("rb") as file:
                file.seek(max(0, offset))
                return file.read(max(0, length))
        except OSError as error:
            raise NotFound(f"there is no artifact `{artifact[:80]}` in `{self.folder}`") from error

    def size(self, artifact: str) -> int:
        """Its bytes. Raises `NotFound`."""
        try:
            return self._path(artifact).stat().st_size
        except OSError as error:
            raise NotFound(f"there is no artifact `{artifact[:80]}` in `{self.folder}`") from error

    def is_intact(self, artifact: str) -> bool:
        """Whether the bytes are those that the id stands for."""
        try:
            with self._path(artifact).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == artifact
        except OSError:
            return False

    def remove(self, artifact: str) -> None:
        """Forget an artifact; one that isn't there is forgotten already."""
        self._path(artifact).unlink(missing_ok=True)

    def _path(self, artifact: str) -> Path:
        if not _ID.match(artifact):
            raise NotFound(f"`{artifact[:80]}` is no artifact id: it is 64 hexadecimal digits")
        return self.folder / artifact[:2] / artifact
