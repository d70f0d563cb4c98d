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

_ID = re.compile(r"[0-9a-f]{64}\Z")


class FileArtifacts:
    """The artifacts of a folder, which is made with the first of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes | Path) -> str:
        """Keep these bytes, or take a file over (it is moved), and return its id. Raises `JournalError`."""
        passing = self.folder / f".new-{uuid4().hex}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if isinstance(data, Path):
                with data.open("rb") as file:
                    artifact = hashlib.file_digest(file, "sha256").hexdigest()
                shutil.move(data, passing)
            else:
                artifact = hashlib.sha256(data).hexdigest()
                passing.write_bytes(data)
            target = self._path(artifact)
            target.parent.mkdir(exist_ok=True)
            passing.replace(target)
        except OSError as error:
            with contextlib.suppress(OSError):
                passing.unlink()
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
