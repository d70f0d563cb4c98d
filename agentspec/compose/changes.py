"""changes: what differs between two effective specs, value by value. A list is one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentspec.syntax.tree import Path


class Change(NamedTuple):
    """One value that is not the same; None stands for one that is not set."""

    path: Path
    before: Any
    after: Any


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """What has to be changed in the first values to get the second ones, in their order; what is new comes last.

    >>> changes({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "d": [4]}})
    [Change(path=('a', 'b'), before=1, after=3), Change(path=('a', 'c'), before=2, after=None), \
Change(path=('a', 'd'), before=None, after=[4])]
    """
    old, new = dict(_leaves(before, ())), dict(_leaves(after, ()))
    return [
        Change(path, old.get(path), new.get(path))
        for path in dict.fromkeys((*old, *new))
        if not is_same(old.get(path), new.get(path))
    ]


def is_same(left: Any, right: Any) -> bool:
    """Whether two plain values mean the same: `1` and `true` don't, `1` and `1.0` do."""
    match left, right:
        case dict(), dict():
            return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
        case list(), list():
            return len(left) == len(right) and all(map(is_same, left, right))
        case _:
            return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def _leaves(value: Any, path: Path) -> list[tuple[Path, Any]]:
    if isinstance(value, Mapping) and (value or not path):
        return [leaf for name, inner in value.items() for leaf in _leaves(inner, (*path, name))]
    return [(path, value)]
