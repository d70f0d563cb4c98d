"""snapshot: write what came out in the place of what was expected. A file is changed in one step, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from agentspec.api.scenarios.play import Played
from agentspec.syntax.replace import replace_file
from agentspec.syntax.tree import Mapping
from agentspec.testing.expected import Miss
from agentspec.text.source import Span


def update(played: Sequence[Played]) -> list[Played]:
    """The same scenarios as they are now: without what has been written into their files.

    Values alone are replaced, so comments and the order of keys stay. Raises `NotAllowed` where a file has changed
    since it was read, or can't be written.
    """
    for path, group in groupby(played, key=lambda one: one.scenario.path):
        edits = [edit for one in group for edit in _edits(one)]
        if edits:
            _write(path, edits)
    return [each._replace(misses=tuple(miss for miss in each.misses if _span(each, miss) is None)) for each in played]


def _edits(played: Played) -> Iterable[tuple[Span, Any]]:
    found = ((_span(played, miss), miss.actual) for miss in played.misses)
    return [(span, actual) for span, actual in found if span is not None]


def _span(played: Played, miss: Miss) -> Span | None:
    """Where the expected value stands, if another one can be written there; none where the run failed otherwise."""
    if not miss.is_written or played.problem:
        return None
    node: Any = played.scenario.root
    for name in ("expect", *miss.path):
        node = node.get(name) if isinstance(node, Mapping) else None
    # What an alias repeats stands elsewhere as well.
    return None if node is None or getattr(node, "anchor", None) is not None else node.span


def _write(path: Path, edits: Iterable[tuple[Span, Any]]) -> None:
    before = path.read_bytes()
    text = before.decode("utf-8-sig")
    for span, actual in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        # JSON is what both spellings take for a value.
        text = text[: span.start] + json.dumps(actual, ensure_ascii=False) + text[span.end :]
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    replace_file(path, before, mark + text.encode())
