"""wall: what one program may do to the machine: where it writes, whether it has a network, how much it may use.

Only the facts; nothing is looked at and nothing is started here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from agentspec.adapters.tools.sandbox.rung import Rung

# What programs say when a wall stops them (strerror(3) in the C locale, and resolvers without a network).
_STOPPED = (
    ("permission denied", "operation not permitted", "read-only file system", "eacces", "eperm", "erofs"),
    ("network is unreachable", "name resolution", "could not resolve", "name or service not known", "enetunreach"),
    ("cannot allocate memory", "memoryerror", "out of memory", "resource temporarily unavailable"),
)


Mode: TypeAlias = Literal["auto", "workspace", "none"]


class Wall(NamedTuple):
    """What is around a program: with `workspace` it isn't started without, with `none` only what it uses is counted.

    `roots` are absolute; `memory` in bytes, `cpu` in seconds of processor time, each of one process; `secrets` are
    globs of further secret files. `is_bounded` tells that a ceiling names the roots, so that no toolkit adds its own;
    `rung` is what `auto` takes instead of the strongest.
    """

    roots: Sequence[Path]
    network: bool = False
    mode: Mode = "auto"
    secrets: Sequence[str] = ()
    memory: int | None = None
    cpu: int | None = None
    processes: int | None = None
    is_bounded: bool = False
    rung: Rung | None = None

    @property
    def is_limited(self) -> bool:
        """Whether it counts what a program uses."""
        return (self.memory, self.cpu, self.processes) != (None, None, None)


def with_root(wall: Wall | None, root: Path) -> Wall | None:
    """The wall around programs that work in a folder, which they may change where no ceiling says otherwise."""
    if wall is None or wall.is_bounded or root in wall.roots:
        return wall
    return wall._replace(roots=(root, *wall.roots))


def stopped_by(wall: Wall, rung: str, said: str) -> str:
    """What a wall that may have stopped a program doesn't let pass, or nothing where the program says nothing of it.

    >>> stopped_by(Wall([Path("/shop")]), "Landlock", "touch: cannot touch 'x': Permission denied")
    'the sandbox (Landlock) lets it write below `/shop` only, and read no file with secrets'
    """
    said = said.casefold()
    files, network, limits = (any(word in said for word in words) for words in _STOPPED)
    if limits and wall.is_limited:
        return f"the sandbox ({rung}) bounds what it may use: see `capability.sandbox`"
    if network and not wall.network:
        return f"the sandbox ({rung}) gives it no network: `network: true` on the tool or the sandbox does"
    if not files:
        return ""
    roots = ", ".join(f"`{root}`" for root in wall.roots)
    words = f"the sandbox ({rung}) lets it write below {roots} only, and read no file with secrets"
    return words if wall.network else f"{words}; it has no network" if "connect" in said else words
