"""instructions: which files `context.instructions_files` means, and how much they may hold. Opens none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agentspec.text.paths import is_file

USUAL = "AGENTS.md"  # of the project's folder, where an author leaves it open; https://agents.md
MOST = 64 * 1024  # bytes of all of them together


def files_meant(written: str | Iterable[str], project: Path) -> tuple[str, ...]:
    """The files that are read, which all have to be there: `auto` means the usual one where there is one.

    >>> files_meant("off", Path()), files_meant(["style.md"], Path())
    ((), ('style.md',))
    """
    if not isinstance(written, str):
        return tuple(written)
    return (USUAL,) if written == "auto" and is_file(project / USUAL) else ()


def too_long(name: str) -> str:
    """What is said of the file with which they are too long.

    >>> too_long("AGENTS.md")
    'with `AGENTS.md` the files have more than 64 KiB'
    """
    return f"with `{name}` the files have more than {MOST >> 10} KiB"
