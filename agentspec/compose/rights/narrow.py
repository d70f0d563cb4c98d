"""narrow: whether one pattern of authority lies inside another: globs, hosts, roots, argv prefixes, amounts.

Each answer is yes only where it is certain: what cannot be decided counts as wider.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from agentspec.syntax.tree import Node, plain
from agentspec.text.hosts import join_host, split_host

_UNITS: dict[str, float] = {
    **dict.fromkeys(("", "s", "B"), 1.0),
    "ms": 0.001,
    "m": 60,
    "h": 3600,
    "d": 86400,
    **dict.fromkeys(("kB", "KB"), 1e3),
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_AMOUNT = r"([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)"


def is_within_glob(inner: Node, outer: Node) -> bool:
    """Whether all that the inner glob matches is matched by the outer one; `*` is any run of characters, `?` one.

    Sound since the inner pattern is read as text: its own `*` is matched by nothing but a `*` of the outer one.
    """
    left, right = plain(inner), plain(outer)
    return isinstance(left, str) and isinstance(right, str) and covers(right, left)


def covers(pattern: str, text: str) -> bool:
    """Glob matching in time `len(pattern) * len(text)`, by going back to the last `*` only."""
    at = mark = 0
    star = -1
    for_text = 0
    while for_text < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, mark = at, for_text
            at += 1
        elif at < len(pattern) and (pattern[at] == text[for_text] or (pattern[at] == "?" and text[for_text] != "*")):
            at += 1
            for_text += 1
        elif star >= 0:
            mark += 1
            at, for_text = star + 1, mark
        else:
            return False
    return not pattern[at:].strip("*")


def is_within_host(inner: Node, outer: Node) -> bool:
    """Whether the outer pattern of hosts is for all that the inner one is for."""
    left, right = plain(inner), plain(outer)
    return isinstance(left, str) and isinstance(right, str) and covers_host(right, left)


def covers_host(pattern: str, host: str) -> bool:
    """Whether a pattern of hosts is for a host, or for all of another pattern; without a port it is for every port.

    >>> covers_host("*.example.org", "api.example.org:443"), covers_host("a:443", "a"), covers_host("[::1]", "[::1]:80")
    (True, False, True)
    """
    return common_host(pattern, host) == join_host(*split_host(host))


def common_host(one: str, other: str) -> str | None:
    """What two patterns of hosts are both for; None where that is nothing, or neither name lies within the other.

    >>> common_host("*.example.org:443", "api.example.org"), common_host("a:80", "a:8080")
    ('api.example.org:443', None)
    """
    (name, port), (name_of_other, port_of_other) = split_host(one), split_host(other)
    is_one_port = "" in (port, port_of_other) or port == port_of_other
    if is_one_port and covers(name, name_of_other):
        return join_host(name_of_other, port or port_of_other)
    return join_host(name, port or port_of_other) if is_one_port and covers(name_of_other, name) else None


def is_within_root(inner: Node, outer: Node) -> bool:
    """Whether the inner path is the outer one or below it. Both are written from the project folder."""
    left, right = plain(inner), plain(outer)
    if not (isinstance(left, str) and isinstance(right, str)) or "${" in left:
        return False
    below, above = posixpath.normpath(left), posixpath.normpath(right)
    if above == ".":
        return not below.startswith(("/", ".."))
    return below == above or below.startswith(above.rstrip("/") + "/")


def is_within_command(inner: Node, outer: Node) -> bool:
    """Whether the outer argv prefix begins the inner one, element by element."""
    left, right = _argv(inner), _argv(outer)
    return bool(right) and left[: len(right)] == right


def may_begin(inner: Node, outer: Node) -> bool:
    """Whether the inner argv may begin with the outer one once its slots (`${…}`) are filled, which may be nothing.

    Of programs only the names are compared, and a line for a shell may begin with anything, as in a run.
    """
    left, right = [str(word) for word in _argv(inner)], [str(word) for word in _argv(outer)]
    slot = next((at for at, word in enumerate(left) if "${" in word), None)
    known = left if slot is None else left[:slot]
    if not right or (slot is None and len(right) > len(left)):
        return False
    names = [[posixpath.basename(word) for word in words[:1]] + words[1:] for words in (known, right)]
    return left[:2] == ["sh", "-c"] or all(word == want for word, want in zip(*names, strict=False))


def may_meet(kind: str, one: Node, other: Node) -> bool:
    """Whether two items of a list of a ceiling may have something in common."""
    if kind == "hosts":
        return common_host(str(plain(one)), str(plain(other))) is not None
    is_within = may_begin if kind == "commands" else WITHIN[kind]
    return is_within(one, other) or is_within(other, one)


def _argv(node: Node) -> list[object]:
    value = plain(node)
    if isinstance(value, str):
        return list(value.split())
    return value if isinstance(value, list) else []


def is_same(inner: Node, outer: Node) -> bool:
    """Whether the two are the same word."""
    return plain(inner) == plain(outer)


WITHIN: dict[str, Callable[[Node, Node], bool]] = {
    "tools": is_within_glob,
    "effects": is_same,
    "roots": is_within_root,
    "hosts": is_within_host,
    "commands": is_within_command,
    "providers": is_within_glob,
    "models": is_within_glob,
}
"""For each list of a ceiling: whether what is asked for lies within one of its items."""


def amount(node: Node | None) -> float | None:
    """A bound as a number (durations in seconds, sizes in bytes), or None where it is none."""
    value = None if node is None else plain(node)
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    match = re.fullmatch(_AMOUNT, value) if isinstance(value, str) else None
    return float(match[1]) * _UNITS[match[2]] if match is not None and match[2] in _UNITS else None
