"""globs: path patterns, compiled to RE2 so that none is slow.

`*` and `?` stay within a name, `**` crosses folders, `[a-z]` and `{a,b}` choose. A pattern without `/` is held against
the last name at any depth; one with `/` against the end of the path, or with a leading `/` against all of it.
"""

from __future__ import annotations

import functools
from typing import Any

from agentspec.core.calls.cap import encodable


class BadGlob(ValueError):
    """A pattern that can't be read; `str()` says why."""


def matches(glob: str, path: str) -> bool:
    """Whether a path (relative, with `/`) fits a pattern. Raises `BadGlob`.

    >>> matches("*.py", "src/a.py"), matches("src/*.py", "src/b/a.py"), matches("src/**/*.py", "src/b/a.py")
    (True, False, True)
    """
    return fits(compile_glob(glob), path)


def fits(compiled: Any, path: str) -> bool:
    """Whether a path fits a compiled pattern; where its name is not UTF-8, each byte that is none is one character."""
    return compiled.fullmatch(encodable(path)) is not None


@functools.lru_cache(maxsize=256)
def compile_glob(glob: str) -> Any:
    """The RE2 pattern of a glob, for `fullmatch` on a path. Raises `BadGlob`."""
    import re2  # noqa: PLC0415 - a shared library, loaded only where patterns are used

    if len(glob) > 1000:
        raise BadGlob(f"the pattern is {len(glob)} characters long; at most 1000 are read")
    anchored = glob.startswith("/")
    body = encodable(_translate(glob.lstrip("/").removeprefix("./")))
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        return re2.compile(body if anchored else "(?:.*/)?" + body, options)
    except re2.error as error:
        raise BadGlob(f"the pattern `{glob}` can't be read") from error


def _translate(glob: str) -> str:
    out: list[str] = []
    depth = position = 0
    while position < len(glob):
        char = glob[position]
        if glob.startswith("**/", position):
            out.append("(?:.*/)?")
            position += 3
            continue
        if glob.startswith("**", position):
            out.append(".*")
            position += 2
            continue
        if char == "[" and (end := glob.find("]", position + 2)) > 0:
            out.append(_choice(glob[position + 1 : end]))
            position = end + 1
            continue
        if char == "{":
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            char = "end"
        out.append(_SIGNS.get(char) or ("|" if char == "," and depth else _literal(char)))
        position += 1
    return "".join(out) + ")" * depth


_SIGNS = {"*": "[^/]*", "?": "[^/]", "{": "(?:", "end": ")"}


def _literal(char: str) -> str:
    return "\\" + char if char in r"\.+*?()|[]{}^$" else char


def _choice(inner: str) -> str:
    negated = inner[:1] in "!^"
    body = (inner[1:] if negated else inner).replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
    return f"[{'^/' if negated else ''}{body}]"
