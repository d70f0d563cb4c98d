"""snapshot: write what came out in the place of what was expected. A file is changed in one step, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from agentspec.api.scenarios.play import Played
from agentspec.syntax.format import Form, form_of, format_text, text_of
from agentspec.syntax.read import parse_bytes
from agentspec.syntax.replace import replace_file
from agentspec.syntax.tree import Document, find
from agentspec.testing.expected import Miss
from agentspec.text.source import Span

ONE_LINE = re.compile(r"^ *x-v: \[(.*)\]$", re.MULTILINE)


def update(played: Sequence[Played]) -> list[Played]:
    """The same scenarios as they are now: without what has been written into their files.

    Nothing is written for one whose run did not go as it says: what came out of that shows nothing of the spec. Values
    alone are replaced, so comments and the order of keys stay. Raises `NotAllowed` where a file has changed since it
    was read, or can't be written.
    """
    now: list[Played] = []
    for path, group in groupby(played, key=lambda one: one.scenario.path):
        scenarios = list(group)
        edits = [edit for one in scenarios for edit in _edits(one)]
        documents = _write(path, edits) if edits else {}
        now += [_after(each, documents.get(each.scenario.line)) for each in scenarios]
    return now


def _after(played: Played, document: Document | None) -> Played:
    """The scenario without what has been written; it now stands in this document of its file."""
    left = tuple(miss for miss in played.misses if _span(played, miss) is None)
    scenario = played.scenario
    if document is not None:
        scenario = scenario._replace(line=document.span.first.line, root=document.root)
    return played._replace(scenario=scenario, misses=left)


def _edits(played: Played) -> Iterable[tuple[Span, Any]]:
    found = ((_span(played, miss), miss.actual) for miss in played.misses)
    return [(span, actual) for span, actual in found if span is not None]


def _span(played: Played, miss: Miss) -> Span | None:
    """Where the expected value stands, if another one can be written there."""
    if not miss.is_written or played.is_broken or played.scenario.root is None:
        return None
    node = find(played.scenario.root, miss.path)
    # What an alias repeats stands elsewhere as well.
    return None if node is None or getattr(node, "anchor", None) is not None else node.span


def _write(path: Path, edits: Iterable[tuple[Span, Any]]) -> Mapping[int, Document]:
    """Write the values as the formatter writes them; a file that was in its form still is.

    Gives its documents as they are then, by the lines where they began before.
    """
    before = path.read_bytes()
    text, parsed = before.decode("utf-8-sig"), parse_bytes(str(path), before)
    form, was_formatted = form_of(parsed), format_text(parsed) == text
    for span, actual in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + _spelled(actual, form) + text[span.end :]
    if was_formatted:
        text = format_text(parse_bytes(str(path), text.encode()))
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    replace_file(path, before, mark + text.encode())
    began = (document.span.first.line for document in parsed.documents)
    return dict(zip(began, parse_bytes(str(path), text.encode()).documents, strict=True))


def _spelled(value: Any, form: Form) -> str:
    """A value within one line, as the form has it in a list; JSON, which all of them take, where that needs more."""
    listed = text_of({"name": "x", "x-v": [value]}, form)
    found = ONE_LINE.search(listed)
    return json.dumps(value, ensure_ascii=False) if form == "json" or found is None else found[1]
