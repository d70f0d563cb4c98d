"""installed: what other installed packages offer by entry points. Nothing of them is imported here.

Source: PyPA, *Entry points specification*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from agentspec.text.witness import passing

PROVIDERS = "agentspec.providers"
LIBRARIES = "agentspec.libraries"


class Offer(NamedTuple):
    """Something that a package offers under a name: `load` imports it, and raises whatever goes wrong there."""

    name: str
    package: str  # with its version
    load: Callable[[], Any]
    value: str = ""  # what the entry point says: `package.module`


def offers(group: str) -> tuple[Offer, ...]:
    """All that is offered under a group of entry points, by name. Reads the folders of all installed packages."""
    import importlib.metadata  # noqa: PLC0415 - slow, and asked for only where a name is not our own

    passing()
    points = importlib.metadata.entry_points(group=group)
    return tuple(
        sorted(
            (Offer(each.name, _package(each.dist), each.load, each.value) for each in points), key=lambda one: one[:2]
        )
    )


def _package(dist: Any) -> str:
    return f"{dist.name} {dist.version}" if dist is not None else "a package without a name"
