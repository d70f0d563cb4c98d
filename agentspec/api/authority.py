"""authority: what a spec may do in the end, as plain values, and what another spec, or another revision, may do.

Only the files of the spec are read, those of another revision from git; nothing is run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from agentspec.api.revision import RevisionFiles, commit_of
from agentspec.checker.filled import filled_tree
from agentspec.checker.overridden import require_overrides
from agentspec.checker.report import file_name
from agentspec.compose.documents import looks_like_file, name_of
from agentspec.compose.files import Files
from agentspec.compose.libraries.naming import with_names
from agentspec.compose.load import Composed, load
from agentspec.compose.reference import Target
from agentspec.compose.rights.called import called_trees, unknown_called
from agentspec.compose.rights.change import RightChange, rights_change
from agentspec.compose.rights.left import Right
from agentspec.compose.rights.of_agents import rights_with_called
from agentspec.compose.rights.rights import Rights
from agentspec.errors import SpecInvalid
from agentspec.syntax.tree import Mapping, dotted, plain

VALUED = ("limits", "ceiling", "reach")  # kinds whose names have a value


def authority(spec: str | os.PathLike[str], **given: Any) -> dict[str, Any]:
    """What a spec may do: for each kind of right the names, each with the place that says so.

    `given` are `model`, `inputs` and `sets`, as `load` takes them. Raises `NotFound` where there is no such file, and
    `SpecInvalid` where nothing can be read of it, or what is given cannot stand in it; other findings don't stop it.

    >>> list(authority("examples/first-look/first-look.yaml")["effects"])
    ['none', 'read']
    """
    files = Files()
    composed = _composed(os.fspath(spec), files, given)
    return {"spec": _head(composed, os.fspath(spec), files), **as_values(rights_in(composed, files))}


def authority_diff(before: str, after: str, **given: Any) -> dict[str, Any]:
    """What the second spec may do more, and less, than the first. `before` may be a revision of git: then the first
    is the second spec as it was then. Raises as `authority`, and `NotFound` where there is no such revision.

    Where one of them, or an agent that it calls, has errors, what stands there is unknown: then `wider` is true, too.
    """
    files: Files = Files()
    is_file = looks_like_file(before) or Path(before).is_file()
    old_name = before if is_file else after
    old_files = files if is_file else RevisionFiles(commit_of(before, Path(after)))
    old, new = _composed(old_name, old_files, given), _composed(after, files, given)
    rights = rights_in(old, old_files), rights_in(new, files)
    revision = {} if is_file else {"revision": before}
    a, b = _head(old, old_name, old_files), _head(new, after, files)
    found = difference(*rights)
    is_wider = found["wider"] or a["errors"] or b["errors"]
    return {"a": {**a, **revision}, "b": b, **found, "wider": is_wider}


def rights_in(composed: Composed, files: Files) -> Rights:
    """What a composition may do with the agents that it calls. One that is not there, `check` tells of."""
    own = asking(composed)
    tree = with_names(filled_tree(composed), composed.project, Path(own.folder), files)
    return rights_with_called(tree, called_trees(composed.tree, own, files))


def asking(composed: Composed) -> Target:
    """A composition as what names the agents that it calls."""
    folder = str(Path(composed.parsed.source.name).parent)
    return Target(composed.parsed, composed.document, folder, "spec", "")


def difference(before: Rights, after: Rights) -> dict[str, Any]:
    """What the second rights have more and less, as plain values."""
    found = rights_change(before, after)
    return {
        "wider": found.is_wider,
        "more": [_change(each) for each in found.more],
        "less": [_change(each) for each in found.less],
        "sandbox": None if found.wall is None else {"a": found.wall[0], "b": found.wall[1]},
    }


def _composed(spec: str, files: Files, given: dict[str, Any]) -> Composed:
    composed = load(spec, files=files, **given)
    errors = [each for each in composed.diagnostics if each.severity == "error"]
    if not isinstance(composed.root, Mapping) or not composed.root.entries:
        raise SpecInvalid(f"`{spec}` holds no spec that can be read", errors)
    require_overrides(composed)
    return composed


def _head(composed: Composed, spec: str, files: Files) -> dict[str, Any]:
    has_errors = composed.has_errors or bool(unknown_called(composed.tree, asking(composed), files))
    return {"name": name_of(composed.document), "spec": spec, "errors": has_errors}


def as_values(rights: Rights) -> dict[str, Any]:
    """Rights as plain values: by kind and name, each with what is known of it."""
    found: dict[str, Any] = {
        kind: {name: _right(kind, right) for name, right in named.items()} for kind, named in rights.kinds.items()
    }
    written = {name: Right(name, each.node, each.path) for name, each in rights.reach.items() if each.node is not None}
    reach = {name: _right("reach", right) for name, right in written.items()}
    return {**found, "reach": reach, "sandbox": rights.sandbox}


def _right(kind: str, right: Right) -> dict[str, Any]:
    first = right.span.first
    said: dict[str, Any] = {"value": plain(right.node)} if kind in VALUED else {}
    if kind == "tools":
        said["effect"] = right.effect
    if right.decision is not None:
        said["decision"] = right.decision
    place = {"file": file_name(right.span.source.name), "line": first.line, "column": first.column}
    return {**said, "path": dotted(right.path), **place}


def _change(change: RightChange) -> dict[str, Any]:
    sides = {"a": change.before, "b": change.after}
    values = {side: None if right is None else _right(change.kind, right) for side, right in sides.items()}
    return {"kind": change.kind, "name": change.name, **values}
