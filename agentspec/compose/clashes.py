"""clashes: the words for what a layer may not do to the layers below it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from agentspec.compose.findings import finding
from agentspec.compose.merge import Clash
from agentspec.syntax.tree import Entry, Mapping, Path, Scalar, dotted, find, plain
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related

_DONE = {"set": "overridden", "append": "added to", "unset": "removed"}


def clash_findings(clashes: Iterable[Clash]) -> list[Diagnostic]:
    """A finding for each clash, at the higher layer's key, with the lower place beside it."""
    return [_FINDINGS[clash.kind](clash) for clash in clashes]


def _final(clash: Clash) -> Diagnostic:
    assert clash.lower is not None
    message = f"`{dotted(clash.path)}` is final and cannot be {_DONE[clash.upper.operation]}"
    related = (Related(clash.lower.span, "a lower layer makes this final"),)
    return finding("AS410", clash.upper.key.span, message, path=clash.path, related=related)


def _append(clash: Clash) -> Diagnostic:
    assert clash.lower is not None
    what = "a mapping" if isinstance(clash.lower.value, Mapping) else f"`{plain(clash.lower.value)}`"
    message = f"`+{clash.upper.name}` adds to a list, but `{dotted(clash.path)}` is {what}"
    related = (Related(clash.lower.span, "the lower layer's value"),)
    return finding("AS411", clash.upper.key.span, message, path=clash.path, related=related)


def _item(clash: Clash) -> Diagnostic:
    value = clash.upper.value
    fix = None
    if isinstance(value, Scalar) and value.anchor is None and value.style in ("plain", "double", "single", "word"):
        text = f"[{value.span.text}]" if value.style != "word" else f"[{json.dumps(value.value)}]"
        fix = Fix("make it a list", (Edit(value.span, text),))
    message = f"`+{clash.upper.name}` adds the items of a list, and this is none"
    return finding("AS411", value.span, message, path=clash.path, fix=fix)


_FINDINGS = {"final": _final, "append": _append, "item": _item}


def idle_unsets(own: Mapping, below: Mapping | None) -> Iterator[Diagnostic]:
    """A finding for each `unset` of a document that removes nothing."""
    for path, entry in _unsets(own, ()):
        if below is None or find(below, path) is None:
            message = f"nothing below sets `{dotted(path)}`, so there is nothing to unset"
            yield finding("AS414", entry.key.span, message, path=path)


def _unsets(node: Mapping, path: Path) -> Iterator[tuple[Path, Entry]]:
    for entry in node.entries:
        here = (*path, entry.name)
        if entry.operation == "unset":
            yield here, entry
        elif isinstance(entry.value, Mapping):
            yield from _unsets(entry.value, here)
