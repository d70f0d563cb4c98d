"""allow_list: whether a command is one of those that a spec allows, by whole elements.

Programs are compared by name; which file a name means is looked up where a program is started.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from agentspec.core.commands.escapes import escape_of

Prefix = tuple[str, ...]


class Judged(NamedTuple):
    """What is to be said of one command: the prefixes that fit it, or else why none does."""

    prefixes: tuple[Prefix, ...] = ()
    problem: str = ""


def prefixes_of(allow: Sequence[Any]) -> tuple[Prefix, ...]:
    """The entries of `allow`: a word is a program, a list its first elements.

    >>> prefixes_of(["ls", ["git", "status"]])
    (('ls',), ('git', 'status'))
    """
    return tuple((entry,) if isinstance(entry, str) else tuple(map(str, entry)) for entry in allow)


def judge(argv: Sequence[str], prefixes: Sequence[Prefix]) -> Judged:
    """Which prefixes fit a command that no escape is in. Of the program only its name is compared.

    >>> judge(["git", "status", "-s"], [("git", "status")]).prefixes
    (('git', 'status'),)
    >>> judge(["git", "-c", "alias.status=!id", "status"], [("git", "status")]).problem
    'nothing that is allowed begins so'
    """
    fitting = [prefix for prefix in prefixes if _fits(argv, prefix)]
    escapes = {prefix: escape_of(argv, len(prefix)) for prefix in fitting}
    passed = tuple(prefix for prefix, escape in escapes.items() if not escape)
    if passed:
        return Judged(passed)
    return Judged(problem=next(iter(escapes.values()), "nothing that is allowed begins so"))


def _fits(argv: Sequence[str], prefix: Prefix) -> bool:
    if not argv or len(argv) < len(prefix) or tuple(argv[1 : len(prefix)]) != prefix[1:]:
        return False
    return _name(argv[0]) == _name(prefix[0])


def _name(program: str) -> str:
    return program.rpartition("/")[2]
