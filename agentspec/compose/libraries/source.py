"""source: where a library comes from, as it is written: a path, a repository of git, an installed package.

Only the words are read here; nothing is looked for and nothing is fetched.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import Literal, NamedTuple

_INSTALLED = "installed:"
_GIT = re.compile(r"(?:git\+)?((?:https?|ssh|git|file)://[^@#\s]*(?:@[^@#/\s]+/[^@#\s]*)?)(?:@([^@#\s]+))?(?:#(\S+))?")
_REF = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_./+-]*")
_SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//)")
_FORMS = "a path (`../platform`), `git+https://…@TAG`, or `installed:NAME`"


class LibrarySource(NamedTuple):
    """A path from the project folder, the address of a repository, or the name of an entry point.

    `ref` is a tag or a commit, and empty where the version decides; `folder` is the library's in the repository.
    """

    kind: Literal["path", "git", "installed"]
    place: str
    ref: str = ""
    folder: str = ""

    def __str__(self) -> str:
        if self.kind == "git":
            return (
                f"git+{self.place}" + (f"@{self.ref}" if self.ref else "") + (f"#{self.folder}" if self.folder else "")
            )
        return f"{_INSTALLED}{self.place}" if self.kind == "installed" else self.place


def read_source(text: str, folder: str, project: str) -> LibrarySource | str:
    """The source that a text in a file of a folder means, a path as it is from the project; or what is wrong with it.

    >>> str(read_source("../platform", "teams/a", "."))
    'teams/platform'
    >>> read_source("git+https://git.example/platform.git@v1.4.0#lib", ".", ".")
    LibrarySource(kind='git', place='https://git.example/platform.git', ref='v1.4.0', folder='lib')
    """
    if text.startswith(_INSTALLED):
        name = text.removeprefix(_INSTALLED).strip()
        return LibrarySource("installed", name) if name else f"`{_INSTALLED}` needs a name: {_FORMS}"
    if _is_address(text):
        return _repository(text)
    if _SCP.match(text):
        return f"`{text}` is written `git+ssh://{text.replace(':', '/', 1)}`"
    if not text.strip() or "\0" in text or "${" in text:
        return f"`{text}` is no source of a library: {_FORMS}"
    path = os.path.join(folder or ".", text)  # noqa: PTH118 - a place as text
    if not os.path.isabs(text):  # noqa: PTH117 - as above
        path = os.path.relpath(path, project)
    return LibrarySource("path", path.replace(os.sep, "/"))


def needed_source(source: LibrarySource, commit: str, text: str) -> LibrarySource | str | None:
    """The source that a path means where a library that was fetched needs another, or what is wrong with it: a folder
    of its own repository, at the same commit. None for what is no path, or where the library is a path itself.

    >>> str(needed_source(LibrarySource("git", "https://git.example/all", "v1", "libs/one"), "c0ffee1", "../two"))
    'git+https://git.example/all@c0ffee1#libs/two'
    """
    if source.kind == "path" or text.startswith(_INSTALLED) or _is_address(text) or _SCP.match(text):
        return None
    if source.kind == "installed":
        return f"`{text}` is a path, and `{source}` is no folder of this project: `{_INSTALLED}NAME` needs a package"
    if posixpath.isabs(text):
        return f"`{text}` is a path of one machine, and `{source}` comes from a repository: name a folder of that"
    folder = posixpath.normpath(posixpath.join(source.folder, text))
    return _repository(str(source._replace(ref=commit, folder="" if folder == "." else folder)))


def _is_address(text: str) -> bool:
    return text.startswith("git+") or "://" in text


def _repository(text: str) -> LibrarySource | str:
    match = _GIT.fullmatch(text)
    if match is None:
        return f"`{_without_secrets(text)}` is no source of a library: {_FORMS}"
    address, ref, folder = match[1], match[2] or "", (match[3] or "").strip("/")
    if re.match(r"https?://[^/]*@", address) or re.match(r"\w+://[^/]*:[^/]*@", address):
        return f"`{_without_secrets(text)}` holds credentials: let git ask for them (a credential helper, an SSH key)"
    if re.match(r"\w+://(?:[^/]*@)?-", address) or (ref and not _REF.fullmatch(ref)):
        return f"`{text}` is no source of a library: {_FORMS}"
    if folder and posixpath.normpath(folder).startswith(".."):
        return f"`#{folder}` leads out of the repository"
    return LibrarySource("git", address, ref, folder)


def _without_secrets(text: str) -> str:
    return re.sub(r"(://)[^/@]*@", r"\1…@", text)
