"""clashes: the words for what a layer may not do to the layers below it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Items

from agentspec.compose.diamond import Branch
from agentspec.compose.findings import finding
from agentspec.compose.merge import Clash
from agentspec.syntax.tree import Entry, Mapping, Path, Scalar, dotted, find, plain
from agentspec.text.diagnostic import Diagnostic, Edit, Fix, Related
from agentspec.text.source import Span

_DONE = {"set": "overridden", "append": "added to", "unset": "removed"}


def clash_findings(clashes: Iterable[Clash], lists: Items[Items[Branch]] = ()) -> list[Diagnostic]:
    """A finding for each clash, at the higher layer's key, with the lower place beside it.

    What two items of one list of `extends` disagree about is nobody's mistake but the list's: `lists` are those that
    the layers come from.
    """
    return [_beside(clash, lists) or _FINDINGS[clash.kind](clash) for clash in clashes]


def _beside(clash: Clash, lists: Items[Items[Branch]]) -> Diagnostic | None:
    """The finding for a final value that a later item of the same list changes; None where the layers build up."""
    if clash.kind != "final" or clash.lower is None:
        return None
    for branches in lists:
        lower = [branch for branch in branches if _brings(branch, clash.lower.span)]
        upper = [branch for branch in branches if _brings(branch, clash.upper.key.span)]
        if lower and upper and not any(branch in lower for branch in upper):
            return _of_list(clash, lower[0], upper[0])
    return None


def _of_list(clash: Clash, lower: Branch, upper: Branch) -> Diagnostic:
    assert clash.lower is not None
    related = (
        Related(clash.lower.span, f"final in `{lower.text}`"),
        Related(clash.upper.key.span, f"{_DONE[clash.upper.operation]} in `{upper.text}`, which comes after it"),
    )
    help_ = f"put `{upper.text}` before `{lower.text}`, or extend only one of them"
    return finding("AS410", upper.span, _words(clash), path=("extends",), help=help_, related=related)


def _words(clash: Clash) -> str:
    return f"`{dotted(clash.path)}` is final and cannot be {_DONE[clash.upper.operation]}"


def _brings(branch: Branch, span: Span) -> bool:
    return any(_holds(part.layer.root.span, span) for part in branch.parts)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.source is inner.source and outer.start <= inner.start and inner.end <= outer.end


def _final(clash: Clash) -> Diagnostic:
    assert clash.lower is not None
    related = (Related(clash.lower.span, "a lower layer makes this final"),)
    return finding("AS410", clash.upper.key.span, _words(clash), path=clash.path, related=related)


def _append(clash: Clash) -> Diagnostic:
    assert clash.lower is not None
    what = "a mapping" if isinstance(clash.lower.value, Mapping) else f"`{plain(clash.lower.value)}`"
    message = f"`+{clash.upper.name}` adds to a list, but `{dotted(clash.path)}` is {what}"
    related = (Related(clash.lower.span, "the lower layer's value"),)
    return finding("AS411", clash.upper.key.span, message, path=clash.path, related=related)


WRITTEN = ("plain", "double", "single", "word")


def _item(clash: Clash) -> Diagnostic:
    value = clash.upper.value
    fix = None
    # A text: of what else there are hardly lists.
    if isinstance(value, Scalar) and isinstance(value.value, str) and value.anchor is None and value.style in WRITTEN:
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
