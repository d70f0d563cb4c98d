"""unknown: the refusal of a path that the language does not know, with what it could be. It looks nothing else up."""

from __future__ import annotations

from agentspec.cli.usage import Usage
from agentspec.spec.describe import describe
from agentspec.syntax.tree import Path, dotted
from agentspec.text.suggest import nearest

MOST_LISTED = 12
SPEC = {"agent": "a spec", "preset": "a spec"}  # what a whole document is called, where that is not its kind


def no_such_key(kind: str, path: Path) -> Usage:
    """The first step of the path that the language doesn't know, and what it could be."""
    length = next(length for length in range(1, len(path) + 1) if describe(path[:length], kind) is None)
    above, step = describe(path[: length - 1], kind), path[length - 1]
    known = above.keys if above is not None else ()
    near = nearest(str(step), known)
    place = f"`{dotted(path[: length - 1])}`" if length > 1 else SPEC.get(kind, f"a {kind}")
    listed = ", ".join(f"`{name}`" for name in known[:MOST_LISTED])
    way_out = f"did you mean `{near[0]}`?" if near else f"it has {listed}" if listed else "it has no keys"
    return Usage(f"{place} has no key `{step}`", way_out)
