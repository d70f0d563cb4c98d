"""organisation: which libraries are the organisation's own, by where they come from, as `agentspec.toml` says it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agentspec.compose.files import Files
from agentspec.compose.findings import clip, finding
from agentspec.compose.inputs import did_you_mean
from agentspec.compose.libraries.lock import Lock, read_lock
from agentspec.compose.libraries.opened import Library
from agentspec.compose.libraries.source import LibrarySource, read_source
from agentspec.compose.project import Settings, place_in, read_settings
from agentspec.compose.rights.narrow import covers
from agentspec.text.diagnostic import Diagnostic

SHOWN = 3


def is_own(library: Library) -> bool:
    """Whether a library is the organisation's own."""
    patterns = read_settings(library.project).organisation
    return any(_is_of(pattern, library.source, library.project) for pattern in patterns)


def idle_patterns(project: Path, settings: Settings) -> Iterator[Diagnostic]:
    """A finding for each pattern that no locked library comes from: it protects nothing. Without a lock none."""
    lock = read_lock(project, Files())
    locked = lock.libraries if isinstance(lock, Lock) else ()
    read = [read_source(one.source, str(project), str(project)) for one in locked]
    sources = [source for source in read if not isinstance(source, str)]
    for pattern in settings.organisation if sources else ():
        if settings.source is not None and not any(_is_of(pattern, source, project) for source in sources):
            meant = did_you_mean(pattern, map(str, sources))
            message = f"`{clip(pattern)}` is the organisation's, and no locked library comes from there{meant}"
            help_ = f"what is locked comes from {', '.join(f'`{source}`' for source in sources[:SHOWN])}"
            yield finding("AS463", place_in(settings.source, pattern), message, help=help_)


def _is_of(pattern: str, source: LibrarySource, project: Path) -> bool:
    """Whether a source is what a pattern says, however a path is spelt; a repository needs neither tag nor folder."""
    if covers(pattern, str(source)):
        return True
    match source.kind:
        case "path":
            wanted, place = (os.path.relpath(project / each, project) for each in (pattern, source.place))
            return covers(wanted, place) and wanted.startswith("..") == place.startswith("..")
        case "git":
            return covers(pattern.removeprefix("git+"), source.place)
        case "installed":
            return False
