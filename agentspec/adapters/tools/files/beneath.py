"""beneath: open files below a folder so that no path and no link leads out of it.

The kernel decides (openat2 with RESOLVE_BENEATH, since Linux 5.6), or else each step is taken without following links;
paths are never compared as strings, since between a comparison and an opening a link can change.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import posixpath
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from agentspec.adapters.tools.files.secret_files import SecretFiles
from agentspec.core.calls.globs import matches

_OPENAT2 = 437  # the same number on every architecture
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08  # linux/openat2.h
_ATTEMPTS = 32  # under attack the kernel asks to try again; then we refuse
_PSEUDO = ("/proc/", "/sys/", "/dev/")
_HOLD = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_CLOEXEC  # without O_PATH a device is opened


class Refused(Exception):
    """A path that is not opened: `category` for programs, `str()` for the model."""

    def __init__(self, category: str, message: str) -> None:
        super().__init__(message)
        self.category = category


class Opened(NamedTuple):
    """An open file or folder: `real` is its name after all links, `stat` what it is."""

    fd: int
    real: str
    stat: os.stat_result


class Beneath:
    """Opens what lies below `root`. Secret files and what fits `exclude` are refused by their real names."""

    def __init__(
        self, root: Path, secrets: SecretFiles, exclude: Iterable[str] = (), *, use_kernel: bool = True
    ) -> None:
        self.root = root
        self._secrets = secrets
        self._exclude = tuple(exclude)
        self._use_kernel = use_kernel and _has_openat2()

    @contextlib.contextmanager
    def file(self, path: str) -> Iterator[Opened]:
        """Open a regular file for reading. Raises `Refused`."""
        with self._opened(path, follow=True) as found:
            if stat.S_ISDIR(found.stat.st_mode):
                raise Refused("is_folder", f"`{path}` is a folder; `list_directory` shows what is in it")
            if not stat.S_ISREG(found.stat.st_mode):
                raise Refused("denied", f"`{path}` is {kind_of(found.stat.st_mode)}, no file that can be read")
            fd = _reopen(found.fd, os.O_RDONLY)
            try:
                yield Opened(fd, found.real, found.stat)
            finally:
                os.close(fd)

    def exists(self, path: str) -> bool:
        """Whether there is anything of that name, a broken link not counted. Raises `Refused` where nobody may know."""
        try:
            with self._opened(path, follow=True):
                return True
        except Refused as refused:
            if refused.category == "not_found":
                return False
            raise

    @contextlib.contextmanager
    def folder(self, path: str, *, follow: bool = True) -> Iterator[Opened]:
        """Open a folder to look into it; links on the way are followed only with `follow`. Raises `Refused`."""
        with self._opened(path, follow=follow) as found:
            if not stat.S_ISDIR(found.stat.st_mode):
                raise Refused("is_file", f"`{path}` is no folder; `read_file` shows a file")
            fd = _reopen(found.fd, os.O_RDONLY | os.O_DIRECTORY)
            try:
                yield Opened(fd, found.real, found.stat)
            finally:
                os.close(fd)

    def relative(self, path: str) -> str:
        """The path below the root that a model means; absolute paths that begin with the root are taken as well."""
        if "\0" in path:
            raise Refused("invalid", "a path can't hold a NUL character")
        try:
            os.fsencode(path)
        except UnicodeEncodeError as error:
            raise Refused("invalid", "a path can't hold half a character") from error
        root = str(self.root)
        if path == root or path.startswith(root.rstrip("/") + "/"):
            path = path[len(root) :].lstrip("/")
        if path.startswith("/"):
            raise Refused("denied", f"`{path}` lies outside of the folder of this tool; give a relative path")
        clean = posixpath.normpath(path or ".")
        if clean == ".." or clean.startswith("../"):
            raise Refused("denied", f"`{path}` leads out of the folder of this tool")
        return path or "."

    def secret(self, relative: str) -> str:
        """The rule that keeps a path below the root secret, or nothing."""
        return self._secrets.reason(posixpath.join(str(self.root), relative))

    def is_excluded(self, relative: str) -> bool:
        """Whether a path below the root, or a folder that it lies in, is one that is never shown."""
        if not self._exclude:
            return False
        steps = relative.split("/")
        ways = ["/".join(steps[: count + 1]) for count in range(len(steps))]
        return any(matches(glob, way) for glob in self._exclude for way in ways)

    @contextlib.contextmanager
    def _opened(self, path: str, *, follow: bool) -> Iterator[Opened]:
        """Hold on to whatever a path names, without opening it: a device or a pipe would notice."""
        relative = self.relative(path)
        try:
            root = os.open(self.root, _HOLD | os.O_DIRECTORY)
        except OSError as error:
            raise Refused("not_found", f"the folder of this tool is gone: {error.strerror}") from error
        try:
            fd = _openat2(root, relative, follow=follow) if self._use_kernel else _walk(root, relative)
        except OSError as error:
            raise _refused(path, error) from error
        finally:
            os.close(root)
        try:
            real, found = _real(fd, posixpath.join(str(self.root), posixpath.normpath(relative))), os.fstat(fd)
            self._examine(path, real, found)
            yield Opened(fd, real, found)
        except OSError as error:
            raise _refused(path, error) from error
        finally:
            os.close(fd)

    def _examine(self, path: str, real: str, found: os.stat_result) -> None:
        if real.startswith(_PSEUDO) or found.st_dev in _pseudo_devices():
            raise Refused("denied", f"`{path}` belongs to the system, it is no file of a project")
        if not found.st_nlink:  # its name would only say that it was deleted
            raise Refused("not_found", f"there is no `{path}`")
        if reason := self._secrets.reason(real):
            raise Refused("denied", f"`{path}` may hold secrets (`{reason}`); such files are never read")
        if self._exclude and self.is_excluded(os.path.relpath(real, os.path.realpath(self.root))):
            raise Refused("denied", f"`{path}` is excluded from this tool")


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@functools.cache
def _has_openat2() -> bool:
    if not Path("/proc/self/fd").exists():  # real names are read there
        return False
    root = os.open("/", _HOLD)
    try:
        os.close(_openat2(root, ".", follow=True))
    except OSError:  # an older kernel, or a sandbox that forbids it
        return False
    finally:
        os.close(root)
    return True


def _openat2(root: int, path: str, *, follow: bool) -> int:
    """openat2(2): the whole path is resolved below `root`, or not at all."""
    resolve = _BENEATH | _NO_MAGICLINKS | (0 if follow else _NO_SYMLINKS)
    how = _How(_HOLD, 0, resolve)
    for _ in range(_ATTEMPTS):
        fd = int(_libc().syscall(_OPENAT2, root, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how)))
        if fd >= 0:
            return fd
        number = ctypes.get_errno()
        if number not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(number, os.strerror(number))


def _walk(root: int, path: str) -> int:
    """Step by step, and never through a link. `..` was judged before, and no link can give it another meaning."""
    fd = os.dup(root)
    steps = [step for step in posixpath.normpath(path).split("/") if step != "."]
    try:
        for step in steps:
            further = os.open(step, _HOLD | os.O_NOFOLLOW, dir_fd=fd)
            os.close(fd)
            fd = further
            _refuse_link(fd)
    except OSError:
        os.close(fd)
        raise
    return fd


def _refuse_link(fd: int) -> None:
    if stat.S_ISLNK(os.fstat(fd).st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _reopen(fd: int, flags: int) -> int:
    if not hasattr(os, "O_PATH"):
        return os.dup(fd)
    return os.open(f"/proc/self/fd/{fd}", flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)


def _real(fd: int, otherwise: str) -> str:
    try:
        return str(Path(f"/proc/self/fd/{fd}").readlink())
    except OSError:
        return otherwise


@functools.cache
def _pseudo_devices() -> frozenset[int]:
    """The devices of /proc and /sys, which may be mounted elsewhere as well."""
    found = set()
    for path in ("/proc", "/sys"):
        with contextlib.suppress(OSError):
            found.add(Path(path).stat().st_dev)
    return frozenset(found - {Path("/").stat().st_dev})


def kind_of(mode: int) -> str:
    """What a file that isn't a regular one is, in words."""
    kinds = {
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFLNK: "a link",
        stat.S_IFDIR: "a folder",
    }
    return kinds.get(stat.S_IFMT(mode), "a special file")


def _refused(path: str, error: OSError) -> Refused:
    match error.errno:
        case errno.EXDEV:
            return Refused("denied", f"`{path}` leads out of the folder of this tool")
        case errno.ELOOP:
            return Refused("denied", f"`{path}` is or passes a link that is not followed")
        case errno.ENOENT:
            return Refused("not_found", f"there is no `{path}`")
        case errno.ENOTDIR:
            return Refused("not_found", f"there is no `{path}`: a part of it is a file, no folder")
        case errno.EACCES | errno.EPERM:
            return Refused("denied", f"`{path}` can't be read: permission denied")
        case errno.EAGAIN:
            return Refused("changing", f"`{path}` changes while it is opened")
        case _:
            return Refused("failed", f"`{path}` can't be read: {error.strerror}")
