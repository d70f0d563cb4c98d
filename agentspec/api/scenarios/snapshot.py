"""snapshot: write what came out in the place of what was expected. A file is changed in one step, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from agentspec.api.scenarios.play import Played
from agentspec.syntax.format import Form, form_of, format_text, text_of
from agentspec.syntax.read import parse_bytes
from agentspec.syntax.replace import replace_file
from agentspec.syntax.tree import Mapping
from agentspec.testing.expected import Miss
from agentspec.text.source import Span

ONE_LINE = re.compile(r"^ *x-v: \[(.*)\]$", re.MULTILINE)


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
    """Write the values as the formatter writes them; a file that was in its form still is."""
    before = path.read_bytes()
    text, parsed = before.decode("utf-8-sig"), parse_bytes(str(path), before)
    form, was_formatted = form_of(parsed), format_text(parsed) == text
    for span, actual in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + _spelled(actual, form) + text[span.end :]
    if was_formatted:
        text = format_text(parse_bytes(str(path), text.encode()))
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    replace_file(path, before, mark + text.encode())


def _spelled(value: Any, form: Form) -> str:
    """A value within one line, as the form has it in a list; JSON, which all of them take, where that needs more."""
    listed = text_of({"name": "x", "x-v": [value]}, form)
    found = ONE_LINE.search(listed)
    return json.dumps(value, ensure_ascii=False) if form == "json" or found is None else found[1]
