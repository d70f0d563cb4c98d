"""verify: whether what lies in the folder of a library is what was locked: the same files, bytes and meanings.

Whole libraries are looked at, not only what a spec reaches. Nothing is mended here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from agentspec.compose.files import Files
from agentspec.compose.libraries.find import leads_out
from agentspec.compose.libraries.lock import LOCK
from agentspec.compose.libraries.meaning import meanings, named
from agentspec.compose.libraries.opened import FETCH_ANEW, Library, Trouble, libraries_of
from agentspec.errors import NotFound
from agentspec.syntax.limits import MAX_BYTES
from agentspec.syntax.plain_file import digest_of, read_plain
from agentspec.text.diagnostic import Related
from agentspec.text.paths import MOST_FILES, files_below
from agentspec.text.source import Source, Span

SHOWN = 3  # files, in a message
_WAY_BACK: Final = {
    "path": (
        f"`{LOCK}` accepts it; or put back what was locked",
        f"give the library a new version, then `{LOCK}`; or put back what was locked",
    ),
    "installed": (
        f"`{LOCK}` accepts it; or install what was locked",
        f"install what was locked; `{LOCK} --accept-changed` takes what its publisher changed",
    ),
    "git": (FETCH_ANEW, FETCH_ANEW),
}
"""What to do about other bytes and about another meaning, by where a library comes from."""


class Content(NamedTuple):
    """The digest of every file of a library, and what keeps some of them from being used."""

    files: dict[str, str]
    troubles: tuple[Trouble, ...]


def content_of(library: Library) -> Content:
    """What lies in the folder of a library. Links that lead out of it are troubles, and so are links to folders, and
    what cannot be looked into.
    """
    below = files_below(library.folder)
    troubles = [trouble for name in below.links if (trouble := _link(library, name)) is not None]
    troubles += [_unread(library, name, "cannot be looked into") for name in below.shut if name]
    troubles += [_unread(library, name, "has a name that is not UTF-8") for name in below.files if _is_odd(name)]
    if len(below.files) > MOST_FILES:
        message = f"`{library.name}` has more than {MOST_FILES} files"
        troubles.append(Trouble("AS442", message, "keep what is no part of it elsewhere"))
    found: dict[str, str] = {}
    for name in below.files[:MOST_FILES] if not troubles else ():
        try:
            content = read_plain(Path(library.folder, name), MAX_BYTES + 1)
        except NotFound as problem:
            help_ = "put the file itself there, or take it away"
            message = f"`{library.name}` cannot be read: {problem}"
            troubles.append(Trouble("AS442", message, help_, _places_of(library, name)))
            continue
        if len(content) > MAX_BYTES:
            message = f"`{name}` of `{library.name}` is larger than {MAX_BYTES >> 20} MiB"
            troubles.append(Trouble("AS442", message, "keep it elsewhere"))
        found[name] = digest_of(content)
    return Content(found, tuple(troubles))


def _unread(library: Library, name: str, words: str) -> Trouble:
    shown = name.rstrip("/").encode("utf-8", "replace").decode()
    return Trouble("AS442", f"`{shown}` of `{library.name}` {words}", "nobody could tell whether it changes")


def _is_odd(name: str) -> bool:
    """Whether a name is of bytes that no lock can hold."""
    return name.encode("utf-8", "replace").decode() != name


def _link(library: Library, name: str) -> Trouble | None:
    path = os.path.join(library.folder, name)  # noqa: PTH118 - a place as text
    trouble = leads_out(library, path)
    if trouble is None and name not in files_below(library.folder).files:
        message = f"`{name}` of `{library.name}` is a link to a folder, and no library may have one"
        trouble = Trouble("AS454", message, "put the files themselves there")
    return None if trouble is None else trouble._replace(related=_places_of(library, name))


def verify(library: Library, files: Files) -> tuple[Trouble, ...]:
    """How a library differs from what is locked; nothing where it does not, or where nothing is locked."""
    if files.is_past:
        return ()  # what was then is compared with what is now by whoever asks for both
    locked = "" if library.locked is None else library.locked.digest
    return libraries_of(files).once.find(("verify", library.folder, locked), lambda: _differences(library, files))


def _differences(library: Library, files: Files) -> tuple[Trouble, ...]:
    content, kind = content_of(library), library.source.kind
    if content.troubles or library.locked is None:
        return tuple(each._replace(help=FETCH_ANEW) if kind == "git" else each for each in content.troubles)
    locked = library.locked
    if content.files == locked.files:
        return ()
    is_same_version = library.manifest.version == locked.number
    now = meanings(library, files) if is_same_version else {}
    others = sorted(name for name in {*now, *locked.exports} if now.get(name) != locked.exports.get(name))
    if is_same_version and others:
        listed = _listing(named(others))
        mean = "means" if len(others) == 1 else "mean"
        message = f"{listed} of `{library.name}` {mean} something else than was locked as {locked.version}"
        return (Trouble("AS444", message, _WAY_BACK[kind][1], _places(library, locked.files, content.files)),)
    message = f"`{library.name}` is not what was locked as {locked.version}: {_words(locked.files, content.files)}"
    return (Trouble("AS443", message, _WAY_BACK[kind][0], _places(library, locked.files, content.files)),)


def _words(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    kinds = {
        "changed": [name for name in before if name in after and before[name] != after[name]],
        "missing": [name for name in before if name not in after],
        "new": [name for name in after if name not in before],
    }
    told = {word: [f"`{name}`" for name in sorted(names)] for word, names in kinds.items()}
    return ", ".join(f"{_listing(names)} {_verb(names)} {word}" for word, names in told.items() if names)


def _verb(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listing(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _places(library: Library, before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Related, ...]:
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return _places_of(library, *changed[:SHOWN])


def _places_of(library: Library, *names: str) -> tuple[Related, ...]:
    sources = [Source(os.path.join(library.folder, name), "") for name in names]  # noqa: PTH118 - a place as text
    return tuple(Related(Span(source, 0, 0), "this file") for source in sources)
