"""tabs: tabs in front of a line's content, which YAML takes for no indentation (YAML 1.2.2, 6.1)."""

from __future__ import annotations

from agentspec.syntax.yaml.blocks import Block, Line, has_content
from agentspec.syntax.yaml.reading import Reading
from agentspec.syntax.yaml.tokens import Cutter
from agentspec.text.diagnostic import Edit, Fix

WIDTH = 2  # spaces that the fix writes for a tab


def replace_tabs(reading: Reading, block: Block) -> list[int]:
    """Report the tabs that indent lines of a block, and read on as if each were a blank; the places of those lines.

    Tabs of blank lines say nothing: they are replaced and not reported.
    """
    lines = _tabbed(reading, block)
    if not lines:
        return []
    text = reading.prepared.text
    pieces: list[str] = []
    at = 0
    for line in lines:
        pieces += text[at : line.begin], " " * (line.content - line.begin)
        at = line.content
    reading.prepared = reading.prepared._replace(text="".join(pieces) + text[at:])
    indented = [line for line in lines if has_content(text, line)]
    if indented:
        _report(reading, indented)
    return [line.content for line in lines]


def _tabbed(reading: Reading, block: Block) -> list[Line]:
    text = reading.prepared.text
    tabbed = [line for line in block.lines if "\t" in text[line.begin : line.content]]
    if not tabbed:
        return []
    inside = [
        (token.start, token.end)
        for token in Cutter(text, block.begin, block.end).tokens()
        if token.kind in ("block", "double", "single") and not token.is_open
    ]
    return [
        line
        for line in tabbed
        if not text[line.content : line.end].strip() or not any(start < line.content < end for start, end in inside)
    ]


def _report(reading: Reading, lines: list[Line]) -> None:
    first = lines[0]
    at = reading.source.text.index("\t", first.begin)
    spans = [reading.span(line.begin, line.content) for line in lines]
    edits = tuple(Edit(span, span.text.replace("\t", " " * WIDTH)) for span in spans)
    others = "" if len(lines) == 1 else " (and the next)" if len(lines) == 2 else f" (and {len(lines) - 1} more)"
    reading.report(
        "AS006",
        f"a tab indents this line{others}",
        reading.span(at, first.content),
        help="YAML is indented with spaces",
        fix=Fix("indent with spaces", edits, "local"),
    )
