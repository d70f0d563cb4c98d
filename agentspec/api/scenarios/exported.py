"""exported: the scenarios of others, which are played against a spec of one's own: those that a library offers.

A scenario says in `for` which spec it tries; another one is put there in its text, and nothing is written.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from agentspec.api.spec import load
from agentspec.compose.documents import kind_of, split_reference
from agentspec.compose.files import Files
from agentspec.compose.libraries.opened import PLACES, libraries_of
from agentspec.errors import NotAllowed
from agentspec.syntax.read import read_file
from agentspec.syntax.tree import Mapping


def scenarios_of(name: str, spec: str) -> list[Path] | None:
    """The files of the scenarios that a library exports, by the name that it has in the `use` of a spec; None where it
    has no such name. Raises `NotAllowed` where the library can't be looked into, or exports none.
    """
    uses = load(spec).composed.tree.get("use")
    entry = uses.entry(name) if isinstance(uses, Mapping) else None
    used = None if entry is None else libraries_of(Files()).used(entry, os.path.dirname(split_reference(spec)[0]))  # noqa: PTH120 - a path as text
    if used is None:
        return None
    if used.library is None or used.troubles:
        raise NotAllowed(f"`{name}`: {used.troubles[0].message}")
    exported = used.library.manifest.exports.get("scenarios") or {}
    if not exported:
        raise NotAllowed(f"the library `{used.library.name}` exports no scenario")
    return [Path(used.library.folder) / PLACES["scenarios"].format(each) for each in exported]


def retargeted(path: Path, spec: str) -> tuple[str, Files]:
    """A file beside this one whose scenarios are for another spec, a path or `FILE#NAME`; it is on no disk.

    The file itself may belong to a library that is locked as it is.
    """
    file, name = split_reference(spec)
    target = json.dumps(os.path.abspath(file) + (f"#{name}" if name else ""))  # noqa: PTH100 - `Path` would drop `..`
    parsed = read_file(path)
    roots = [each.root for each in parsed.documents if kind_of(each) == "scenario"]
    nodes = [node for root in roots if isinstance(root, Mapping) and (node := root.get("for")) is not None]
    text = parsed.source.text
    for node in sorted(nodes, key=lambda node: node.span.start, reverse=True):
        text = text[: node.span.start] + target + text[node.span.end :]
    beside = str(path.with_name(f".{path.name}"))
    return beside, Files({os.path.realpath(beside): text})
