"""beneath_change: make, replace and remove what lies below a folder, so that no path and no link leads out of it.

Each change is made in a folder that is held open, by a name that is one step: no link can redirect it in between.
A file is replaced as a whole or not at all.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import secrets
import shutil
import stat
import threading
from collections.abc import Iterator
from typing import NamedTuple

from agentspec.adapters.tools.files.beneath import Beneath, Refused
from agentspec.text.control_files import control_rule

_MOST_REMOVED = 100_000  # entries of one folder tree
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)  # file systems without hard links
_SPECIAL = stat.S_ISUID | stat.S_ISGID  # which a system takes from a file that is written, too
_DRAFT = ".agentspec-"  # begins the names of files that are being written


class Place(NamedTuple):
    """A name in an open folder, whether something bears it or not. `relative` is its real path below the root."""

    folder: int
    name: str
    relative: str
    given: str  # as the model wrote it

    def status(self) -> os.stat_result | None:
        """What bears the name, a link itself and not what it leads to."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


class Existing(NamedTuple):
    """A regular file that may be replaced, with its place and its whole content."""

    place: Place
    data: bytes
    stat: os.stat_result


@contextlib.contextmanager
def place(beneath: Beneath, path: str) -> Iterator[Place]:
    """The place that a path names; a last step that is a link is not followed. Raises `Refused`."""
    folder, name = posixpath.split(posixpath.normpath(beneath.relative(path)))
    if name in ("", ".", ".."):
        raise Refused("denied", f"`{path}` is the folder of this tool itself")
    with _translated(path), beneath.folder(folder or ".") as opened:
        relative = _below(beneath, posixpath.join(opened.real, name))
        _examine(beneath, path, relative)
        yield Place(opened.fd, name, relative, path)


@contextlib.contextmanager
def existing(beneath: Beneath, path: str, most_bytes: int) -> Iterator[Existing]:
    """A file that is there, links followed inside the root, at its real place. Raises `Refused`."""
    with beneath.file(path) as file:
        relative = _below(beneath, file.real)
        folder, name = posixpath.split(relative)
        _examine(beneath, path, relative)
        with _translated(path), beneath.folder(folder or ".", follow=False) as opened:
            found = Place(opened.fd, name, relative, path)
            _require_same(found, file.stat)
            _require_writable(found)
            if file.stat.st_size > most_bytes:
                raise Refused("too_large", f"`{path}` has {file.stat.st_size} bytes; at most {most_bytes} are edited")
            with open(file.fd, "rb", closefd=False) as stream:
                yield Existing(found, stream.read(most_bytes + 1), file.stat)


def put(target: Place, data: bytes, before: os.stat_result | None, stop: threading.Event) -> None:
    """Write a file as a whole: a new one, or in the place of what was `before`, whose mode it keeps.

    Raises `Refused` where something else bears the name by now, or nobody waits any more.
    """
    draft = _DRAFT + secrets.token_hex(8)
    with _translated(target.given):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(draft, flags, 0o666 if before is None else 0o600, dir_fd=target.folder)
        try:
            _fill(fd, data, before)
            if stop.is_set():
                raise Refused("cancelled", f"`{target.given}` was not changed: the call was cancelled")
            if before is None:
                _publish(target, draft)
            else:
                _require_same(target, before)
                os.rename(draft, target.name, src_dir_fd=target.folder, dst_dir_fd=target.folder)
        finally:
            os.close(fd)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=target.folder)


def require_changeable(beneath: Beneath, path: str) -> None:
    """Raise `Refused` where the path as it is written names what no tool changes, before anything is made for it."""
    _examine(beneath, path, posixpath.normpath(beneath.relative(path)))


def make_folders(beneath: Beneath, path: str) -> tuple[str, bool]:
    """Make a folder and those that it lies in; gives its real path below the root, and whether it is new.

    Raises `Refused`.
    """
    require_changeable(beneath, path)
    steps, made, here = posixpath.normpath(beneath.relative(path)).split("/"), False, "."
    for count in range(1, len(steps) + 1):
        here = "/".join(steps[:count])
        if here != "." and not beneath.exists(here):
            with place(beneath, here) as new, _translated(path):
                os.mkdir(new.name, dir_fd=new.folder)
            made = True
    with beneath.folder(here) as opened:
        return _below(beneath, opened.real), made


def remove(beneath: Beneath, target: Place, *, recursive: bool, stop: threading.Event) -> int:
    """Remove what bears the name, and say how many entries that were. A link is removed, never what it leads to.

    Raises `Refused`, before anything is removed, for a folder that isn't empty or holds what no tool changes.
    """
    found = target.status()
    if found is None:
        return 0
    with _translated(target.given):
        if not stat.S_ISDIR(found.st_mode):
            os.unlink(target.name, dir_fd=target.folder)
            return 1
        count = _count(beneath, target, stop)
        if count and not recursive:
            raise Refused("not_empty", f"`{target.given}` holds {count} entries; `recursive: true` removes them too")
        if not count:
            os.rmdir(target.name, dir_fd=target.folder)
            return 1
    try:
        shutil.rmtree(target.name, dir_fd=target.folder)
    except OSError as error:
        raise Refused("failed", f"`{target.given}` was removed only in part: {error.strerror}") from error
    return count + 1


def _count(beneath: Beneath, target: Place, stop: threading.Event) -> int:
    """How many entries a folder holds; refused where one of them is kept from tools."""
    count = 0
    try:
        for folder, folders, files, _ in os.fwalk(target.name, dir_fd=target.folder, onerror=_raise):
            below = posixpath.normpath(posixpath.join(target.relative, os.path.relpath(folder, target.name)))
            for name in (*folders, *files):
                _examine(beneath, target.given, posixpath.join(below, name))
            count += len(folders) + len(files)
            if count > _MOST_REMOVED:
                raise Refused("denied", f"`{target.given}` holds more than {_MOST_REMOVED} entries; remove its parts")
            if stop.is_set():
                raise Refused("cancelled", f"`{target.given}` was not removed: the call was cancelled")
    except RecursionError as error:
        raise Refused("denied", f"`{target.given}` is too deep to be removed at once; remove its parts") from error
    return count


def _raise(error: OSError) -> None:
    raise error


def _fill(fd: int, data: bytes, before: os.stat_result | None) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    if before is not None:
        with contextlib.suppress(OSError):  # only a privileged user may give files away
            os.fchown(fd, before.st_uid, before.st_gid)
        os.fchmod(fd, stat.S_IMODE(before.st_mode) & ~_SPECIAL)
    os.fsync(fd)


def _publish(target: Place, draft: str) -> None:
    """Give a new file its name. Unlike a renaming, a link never takes the place of what came in between."""
    try:
        os.link(draft, target.name, src_dir_fd=target.folder, dst_dir_fd=target.folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS or target.status() is not None:
            raise
        os.rename(draft, target.name, src_dir_fd=target.folder, dst_dir_fd=target.folder)


def _require_same(target: Place, before: os.stat_result) -> None:
    now = target.status()
    if now is None or _identity(now) != _identity(before):
        raise Refused("changing", f"`{target.given}` was changed by somebody else meanwhile; read it again")


def _identity(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _require_writable(target: Place) -> None:
    """A read-only file stays: replacing it would get around its mode."""
    if not os.access(target.name, os.W_OK, dir_fd=target.folder):
        raise Refused("denied", f"`{target.given}` is read-only")


def _examine(beneath: Beneath, path: str, relative: str) -> None:
    if rule := beneath.secret(relative):
        raise Refused("denied", f"`{path}` may hold secrets (`{rule}`); no tool changes such files")
    if rule := control_rule(relative):
        raise Refused("denied", f"`{path}` decides what later runs may do (`{rule}`); no tool changes such files")


def _below(beneath: Beneath, real: str) -> str:
    return os.path.relpath(real, os.path.realpath(beneath.root))


@contextlib.contextmanager
def _translated(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refused(path, error) from error


_REFUSALS = {
    errno.EEXIST: ("exists", "`{path}` came to be meanwhile, or a link or a file bears a name on its way"),
    errno.EACCES: ("denied", "`{path}` can't be changed: permission denied"),
    errno.EPERM: ("denied", "`{path}` can't be changed: permission denied"),
    errno.EROFS: ("denied", "`{path}` can't be changed: the file system is read-only"),
    errno.ENAMETOOLONG: ("invalid", "`{path}` is too long for a name"),
    errno.ENOSPC: ("failed", "`{path}` was not changed: no space is left"),
    errno.EDQUOT: ("failed", "`{path}` was not changed: no space is left"),
}


def _refused(path: str, error: OSError) -> Refused:
    category, words = _REFUSALS.get(error.errno or 0, ("failed", "`{path}` can't be changed: {why}"))
    return Refused(category, words.format(path=path, why=error.strerror))
