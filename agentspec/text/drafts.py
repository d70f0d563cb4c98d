"""drafts: texts that are looked at instead of the files that they are of: an editor's, or those of fixes on trial.

Nothing is written. Whoever reads files reads them by `syntax.plain_file` and `text.paths`, which ask here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from agentspec.text.witness import note

NONE: Mapping[str, str] = {}
_DRAFTS: ContextVar[Mapping[str, str]] = ContextVar("agentspec_drafts", default=NONE)


@contextmanager
def drafted(texts: Mapping[str, str]) -> Iterator[None]:
    """Let texts, by real path, hold instead of files in the block; without any, all stays as it is around it.

    >>> with drafted({"/nowhere/a.md": "Be kind."}):
    ...     draft_of("/nowhere/../nowhere/a.md")
    b'Be kind.'
    """
    before = _DRAFTS.set(texts or _DRAFTS.get())
    try:
        yield
    finally:
        _DRAFTS.reset(before)


def draft_of(path: str | os.PathLike[str]) -> bytes | None:
    """What holds instead of a file; None where the file itself does."""
    drafts, name = _DRAFTS.get(), os.fspath(path)
    text = drafts.get(os.path.realpath(name)) if drafts and "\0" not in name else None
    if text is None:
        return None
    note("draft", name, seen=True)
    return text.encode(errors="surrogatepass")
