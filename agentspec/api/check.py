"""check: say what is wrong with specs, without running anything."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from agentspec.api.options import require_list
from agentspec.checker.check import Options, check_paths
from agentspec.checker.report import Report

__all__ = ["Report", "check"]


def check(
    *paths: str | os.PathLike[str],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    shows_consequences: bool = False,
) -> Report:
    """Everything that is wrong in these files and folders, in order of file and position.

    `select` and `ignore` are codes or their beginnings (`AS5`). With `shows_consequences` the findings that only follow
    from others are kept. Nothing is raised for what an author did; a path that can't be read is in `missing`.

    >>> report = check("examples")
    >>> report.exit_code(), report.diagnostics
    (0, [])
    """
    require_list("select", select, '["AS5"]')
    require_list("ignore", ignore, '["AS5"]')
    options = Options(tuple(select), tuple(ignore), shows_consequences)
    return check_paths([Path(path) for path in paths], options)
