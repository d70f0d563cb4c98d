"""places: in which file and line the bounds of a run stand, for whoever is stopped by one. Reads no file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentspec.checker.reading import PROFILES
from agentspec.core.calls.cap import encodable
from agentspec.syntax.tree import Mapping, dotted, find, walk


def places_of(tree: Mapping, project: Path) -> dict[str, dict[str, Any]]:
    """In which file and line each value of `execution` stands; a profile's stand where the profile is chosen.

    What nobody wrote, a profile that nobody chose included, stands nowhere.
    """
    found: dict[str, dict[str, Any]] = {}
    profiled: list[str] = []
    execution = find(tree, ("execution",))
    for path, node in walk(execution, ("execution",)) if execution is not None else ():
        source = node.span.source.name
        if source.startswith(PROFILES):
            profiled.append(dotted(path))
            continue
        if source.startswith("--"):  # of the command line
            found[dotted(path)] = {"file": source.partition(" ")[0]}
            continue
        found[dotted(path)] = {"file": encodable(below(project, source)), "line": node.span.first.line}
    if "execution.profile" in found:
        found |= dict.fromkeys(profiled, found["execution.profile"])
    return found


def below(project: Path, source: str) -> str:
    """The name of a file as the project sees it; the name that it was given where it is not below, or nowhere."""
    try:
        file = Path(source).absolute()
    except FileNotFoundError:  # the working directory is gone
        return source
    return str(file.relative_to(project)) if file.is_relative_to(project) else source
