"""matching: whether a call fits what an author wrote about calls: globs of tools, paths, commands, hosts. Pure.

Two readings of each: the narrow one is for what allows (all of a call has to fit, nothing is guessed), the wide one
for what asks or refuses (any part that fits is enough).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from agentspec.compose.rights.narrow import covers, covers_host
from agentspec.core.calls.globs import BadGlob, matches
from agentspec.core.calls.touched import shown
from agentspec.core.commands.allow_list import judge
from agentspec.core.commands.shell_line import commands_of

_WILD = re.compile(r"[*?\[]")
_SPLIT = re.compile(r"[\s;&|()<>`'\"]+")


def listed(value: Any) -> tuple[Any, ...]:
    """One or several, as a tuple; None is none.

    >>> listed("a"), listed(["a", "b"]), listed(None)
    (('a',), ('a', 'b'), ())
    """
    return () if value is None else tuple(value) if isinstance(value, list | tuple) else (value,)


def prefix_of(value: Any) -> tuple[str, ...]:
    """The first elements of a command as a spec writes them: `ls`, or `[git, status]`."""
    return tuple(map(str, listed(value)))


def is_named(name: str, globs: Iterable[str]) -> bool:
    """Whether a name fits one of the globs (`*` any characters, `?` one)."""
    return any(covers(glob, name) for glob in globs)


def is_path(path: str, globs: Iterable[str], project: str) -> bool:
    """Whether a place fits one of the globs: with a `/` they begin at the project, without one they are names.

    >>> is_path("/w/src/a.py", ["src/**"], "/w"), is_path("/w/lib/src/a.py", ["src/**"], "/w")
    (True, False)
    """
    relative = shown(path, project)
    return any(_fits(glob, relative) for glob in globs)


def is_path_or_below(path: str, globs: Iterable[str], project: str) -> bool:
    """The same, where a glob whose last name is no wildcard also stands for all that is below (as in gitignore(5)).

    >>> is_path_or_below("/w/sub/a", ["sub/"], "/w"), is_path_or_below("/w/sub/b/a", ["sub/*"], "/w")
    (True, False)
    """
    names = [glob.rstrip("/") or glob for glob in globs]
    folders = [name for name in names if not _WILD.search(posixpath.basename(name))]
    above = map(str, PurePosixPath(shown(path, project)).parents)
    return is_path(path, names, project) or any(_fits(name, folder) for folder in above for name in folders)


def _fits(glob: str, path: str) -> bool:
    is_anchored = "/" in glob.rstrip("/") and not glob.startswith("**/")
    body = "/" + glob.lstrip("/").removeprefix("./") if is_anchored else glob
    if is_anchored and glob.startswith("/") != path.startswith("/"):
        return False
    try:
        return matches(body, path.lstrip("/")) or (body.endswith("/**") and matches(body[:-3], path.lstrip("/")))
    except BadGlob:
        return False


def begins(command: Sequence[str], prefix: Sequence[str]) -> bool:
    """Whether a command begins with these very elements.

    >>> begins(("git", "status", "-s"), ("git", "status")), begins(("./git", "status"), ("git", "status"))
    (True, False)
    """
    return bool(prefix) and tuple(command[: len(prefix)]) == tuple(prefix)


def runs_only(command: Sequence[str], prefixes: Sequence[tuple[str, ...]]) -> bool:
    """Whether a command is one of these and can be made to run nothing else by its arguments.

    >>> runs_only(("git", "log"), [("git",)]), runs_only(("git", "-c", "alias.x=!id", "x"), [("git",)])
    (True, False)
    >>> runs_only(("sh", "-c", "ls a && ls b"), [("ls",)])
    True
    """
    if tuple(command[:2]) == ("sh", "-c") and len(command) == 3 and ("sh",) not in prefixes:
        inner = commands_of(command[2])
        return bool(inner) and all(runs_only(each, prefixes) for each in inner or ())
    return any(begins(command, prefix) for prefix in judge(command, prefixes).prefixes)


def mentions(command: Sequence[str], prefix: Sequence[str]) -> bool:
    """Whether a command may run what begins so: by another path, behind other options, inside a line for a shell.

    >>> mentions(("/usr/bin/git", "-C", "x", "push"), ("git", "push"))
    True
    >>> mentions(("sh", "-c", "cd x && git push"), ("git", "push"))
    True
    """
    words = [word for element in command for word in _SPLIT.split(element) if word]
    program = posixpath.basename(prefix[0]) if prefix else None
    starts = [at for at, word in enumerate(words) if posixpath.basename(word) == program]
    return any(_in_order(words[at + 1 :], prefix[1:]) for at in starts)


def _in_order(words: Sequence[str], wanted: Sequence[str]) -> bool:
    rest = iter(words)
    return all(any(word == want for word in rest) for want in wanted)


def is_host(host: str, patterns: Iterable[str]) -> bool:
    """Whether `host:port` fits one of the patterns, by the rule that `covers_host` is.

    >>> is_host("api.example.org:443", ["*.example.org"]), is_host("localhost:80", ["localhost:8080"])
    (True, False)
    """
    return any(covers_host(pattern, host) for pattern in patterns)
