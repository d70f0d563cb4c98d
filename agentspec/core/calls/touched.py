"""touched: what a call touches, read from its arguments before it runs. Pure text: no file is looked at.

What is not known here is not harmless: who decides by it says what an unknown means.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from agentspec.core.record import Record
from agentspec.text.hosts import host_of

PATHS = frozenset(
    (
        *("path", "paths", "file", "files", "file_path", "filename", "directory", "folder", "root", "cwd"),
        *("source", "destination", "src", "dst", "from_path", "to_path", "old_path", "new_path"),
    )
)
COMMANDS = ("argv", "command")
URLS = ("url", "uri")
TELLING = PATHS.union(COMMANDS, URLS)
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s\"'<>|;&]+")
_PARTS = re.compile(r"[=@:,\s;&|<>()'\"`]+")
_SCHEMES = (  # those of other machines; any other may name a file: `text://etc/passwd`
    r"https?|wss?|s?ftp|ftps|ssh|git|svn|s3|gs|ldaps?|smtps?|imaps?|grpcs?|tcp|nats|amqps?|mqtts?|rediss?|mongodb"
    r"|postgres(?:ql)?|mysql|mariadb|mssql|oracle"
)
_BREAK = r"\s\"'<>|;&,@()`"  # where a line or an option goes on with something else, as with `=` before a query
_COLON = r":(?!/[^/]|~)"  # no list of folders
_REMOTE = re.compile(
    rf"(?<![\w+.-])(?:{_SCHEMES})(?:\+(?!file)\w+)?://(?:[^/={_BREAK}]+@)?[\w\[]"
    rf"(?:[^:=?{_BREAK}]|{_COLON})*(?:\?(?:[^:{_BREAK}]|{_COLON})*)?",
    re.IGNORECASE,
)
_UP = re.compile(r"[/=:]\.\.(?:/|$)")
_NO_PATH = re.compile(r"[\^$()\[\]{}|\\<>*?]|://")
DEVICES = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/urandom"))


class Touched(Record, frozen=True):
    """What one call touches. `paths` are absolute or relative to the project, `cwd` is where a
    command runs, `method` that of an HTTP request. `chosen` are the elements of the command that hold what the call
    gave, None where all of them do; the others stand in the spec as they are.

    `ask` says why a person has to be asked although no rule asks, `deny` why the call is refused although none refuses.
    """

    paths: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    chosen: tuple[str, ...] | None = None
    cwd: str = ""
    url: str = ""
    method: str = ""
    ask: str = ""
    deny: str = ""


Touches: TypeAlias = Callable[[Mapping[str, Any]], Touched]
NOTHING = Touched()


def by_names(arguments: Mapping[str, Any], root: str = ".", *, is_rooted: bool = False) -> Touched:
    """What the arguments with telling names (`path`, `argv`, `url`) say, at any depth. Paths begin at `root`.

    With `is_rooted` the call works in `root` where it names no path at all.

    >>> by_names({"path": "a.txt"}, "docs").paths
    ('docs/a.txt',)
    """
    if not is_rooted and TELLING.isdisjoint(arguments) and not any(map(_has_inside, arguments.values())):
        return NOTHING
    paths: list[str] = []
    command: tuple[str, ...] = ()
    url = ""
    for name, value in _named(arguments):
        if name in PATHS and isinstance(value, str):
            paths.append(value if root == "." else posixpath.join(root, value))
        elif name in COMMANDS and not command:
            command = _argv(value)
        elif name in URLS and isinstance(value, str) and not url:
            url = value
    if is_rooted and not paths:
        paths = [root]
    return Touched(paths=tuple(paths), command=command, url=url)


def _named(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value with the name that it stands under; the items of a list have that of the list."""
    match value:
        case Mapping():
            for key, inside in value.items():
                yield from _named(inside, str(key))
        case list() | tuple() if name not in COMMANDS:
            for inside in value:
                yield from _named(inside, name)
        case _:
            yield name, value


def _has_inside(value: Any) -> bool:
    return isinstance(value, dict | list | tuple)  # as JSON is read; asking for any `Mapping` takes ten times as long


def _argv(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return ("sh", "-c", value)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def place(path: str, project: str) -> str:
    """The absolute place of a path, by its text alone.

    >>> place("../x/./y", "/work/shop")
    '/work/x/y'
    """
    found = posixpath.normpath(posixpath.join("/", project, path))
    return "/" + found.lstrip("/")


def shown(path: str, project: str) -> str:
    """A place as it is written in a spec: relative where it lies in the project.

    >>> shown("/work/shop/a.txt", "/work/shop"), shown("/etc/passwd", "/work/shop")
    ('a.txt', '/etc/passwd')
    """
    return posixpath.relpath(path, place("", project)) if is_in(path, place("", project)) else path


def is_in(path: str, folder: str) -> bool:
    """Whether a place is a folder or lies below it; both are normalised.

    >>> is_in("/a/b", "/a"), is_in("/ab", "/a"), is_in("/a", "/")
    (True, False, True)
    """
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def words_of(command: tuple[str, ...]) -> tuple[str, ...]:
    """All that a command line may mean by its elements: each one, and what stands in it behind `=`, `@`, `:`, blanks.

    An address on another machine is no file, as far as it goes: what an option adds behind it is.

    >>> words_of(("curl", "-d@.env", "https://h.org/a"))
    ('curl', '-d@.env', '-d', '.env')
    """
    found: dict[str, None] = {}
    for element in command:
        rest = _REMOTE.sub(_kept, element)
        if rest == element:
            found[element] = None
        found |= dict.fromkeys(part for part in _PARTS.split(rest) if part)
    return tuple(found)


def _kept(address: re.Match[str]) -> str:
    """What is left of an address as a name of files: with `..` it leads out of folders that look like one."""
    return address[0] if _UP.search(address[0]) else " "


def paths_of(elements: tuple[str, ...], program: str) -> tuple[str, ...]:
    """The arguments of a program that plainly name something outside of its folder: absolute, or with `..` or `~`.

    >>> paths_of(("/etc/passwd", "a.txt", "../b", "s/a/b/", "/dev/null"), "cat")
    ('/etc/passwd', '../b')
    """
    return tuple(
        word
        for word in words_of(elements)
        if word != program
        and (word.startswith(("/", "~")) or ".." in word.split("/"))
        and not _NO_PATH.search(word)
        and word not in DEVICES
    )


def hosts_of(touched: Touched) -> tuple[str, ...]:
    """The hosts that a call names, as `host:port`, also in the arguments of a command. Lower case.

    >>> hosts_of(Touched(url="https://API.example.org/x")), hosts_of(Touched(command=("curl", "http://a:8080/")))
    (('api.example.org:443',), ('a:8080',))
    """
    urls = [touched.url] if touched.url else []
    urls += [found for element in touched.command for found in _URL.findall(element)]
    return tuple(dict.fromkeys(host for url in urls for host in [host_of(url)] if host))
