"""replace: put a new text in a file's place in one step, or not at all. What was not read is never written over."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from agentspec.errors import NotAllowed


def replace_file(path: Path, before: bytes | None, after: bytes) -> None:
    """Write a file in one step, keeping its mode; `before` is what it has to hold still, None where that is no matter.

    Raises `NotAllowed` where the file is not what was read, or cannot be written: nothing is lost then.
    """
    target = Path(os.path.realpath(path))
    try:
        if before is not None and target.read_bytes() != before:
            raise NotAllowed(f"`{path}` changed since it was read; nothing was written to it")
        mode = target.stat().st_mode if target.exists() else _usual_mode()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as draft:
                draft.write(after)
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise NotAllowed(f"`{path}` cannot be written: {(error.strerror or str(error)).lower()}") from error


def _usual_mode() -> int:
    """The mode of a new file; the mask can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
