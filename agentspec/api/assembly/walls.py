"""walls: from `capability.sandbox` and the roots of a spec to the wall around its programs. Nothing is started here."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from pathlib import Path
from typing import Any

from agentspec.adapters.tools.sandbox.wall import Mode, Wall
from agentspec.spec.settings import Settings

PLACE = "capability.sandbox"


def wall_of(settings: Settings, project: Path, *, root: Path | None, network: bool = False) -> Wall | None:
    """The wall around the programs of a tool, None without one. `network` is what the tool itself is granted.

    They write in `root`, in `sandbox.writable` and in the folders outside that approval names; a ceiling's roots are
    all that they write in.
    """
    bound = settings.get("capability.ceiling.roots")
    beside = [*(settings.get(f"{PLACE}.writable") or ()), *(settings.get("capability.approval.external_roots") or ())]
    roots = (*([] if root is None else [root]), *_absolute(beside, project))
    cpu = settings.seconds(f"{PLACE}.cpu_time")
    wall = Wall(
        roots=roots if bound is None else _absolute(bound, project),
        network=(network or settings.flag(f"{PLACE}.network")) and _leaves_network(settings),
        mode=mode_of(settings),
        secrets=tuple(settings.get("capability.approval.secrets") or ()),
        memory=settings.size(f"{PLACE}.memory"),
        cpu=None if cpu is None else max(1, ceil(cpu)),
        processes=settings.whole(f"{PLACE}.processes"),
        is_bounded=bound is not None,
    )
    return None if wall.mode == "none" and not wall.is_limited else wall


def _leaves_network(settings: Settings) -> bool:
    """Whether the ceiling leaves programs the network: a wall knows no hosts, so a list of some leaves none."""
    effects, hosts = settings.get("capability.ceiling.effects"), settings.get("capability.ceiling.hosts")
    return (effects is None or "network" in effects) and (hosts is None or "*" in hosts)


def mode_of(settings: Settings) -> Mode:
    """The mode of the sandbox, in the short or the long form."""
    given = settings.get(PLACE)
    mode: Any = given if isinstance(given, str) else settings.get(f"{PLACE}.mode")
    chosen: Mode = mode or "auto"
    return chosen


def _absolute(paths: Iterable[str], project: Path) -> tuple[Path, ...]:
    return tuple((project / path).absolute() for path in paths)
