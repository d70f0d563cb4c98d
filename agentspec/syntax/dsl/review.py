"""review: look over a finished tree: empty files and keys, characters that nobody sees, depth, and paths.

Findings get their path here, since the parser does not know it while a part is still being read.
"""

from __future__ import annotations

from contextlib import suppress

from agentspec.syntax.dsl.report import TOO_DEEP, Enough, Refused, Report, unseen
from agentspec.syntax.findings import quoted
from agentspec.syntax.limits import MAX_DEPTH
from agentspec.syntax.tree import Document, Entry, Mapping, Node, Path, Scalar, Sequence, dotted
from agentspec.text.diagnostic import Related
from agentspec.text.source import Span
from agentspec.text.visible import BIDI, JOINERS, has_hidden, hidden_in


def review(report: Report, documents: list[Document]) -> None:
    """Add what only the whole tree shows. Raises `Refused` where sugar nests deeper than a document may."""
    if not documents and not report.diagnostics:
        report.add("AS018", 0, 0, "the file is empty", help="`agentspec init` writes a first spec")
    hidden = has_hidden(report.source.text)
    with suppress(Enough):
        _look_at_names(report, documents)
        for document in documents:
            _look(report, document.root, 1, hidden=hidden)
    report.diagnostics[:] = [
        each._replace(path=dotted(_path(documents, each.span.start))) for each in report.diagnostics
    ]


def _look_at_names(report: Report, documents: list[Document]) -> None:
    """Two documents of one name in a file: `FILE#NAME` could mean either."""
    first: dict[tuple[bool, str], Scalar] = {}
    for document in documents:
        head = document.root.entries[0] if isinstance(document.root, Mapping) else None
        if head is None or not isinstance(head.value, Scalar):
            continue
        name = head.value
        twin = first.setdefault((head.name == "scenario", str(name.value)), name)
        if twin is not name:
            message = f"two documents of this file are named {quoted(str(name.value))}"
            related = (Related(twin.span, "the first one"),)
            report.add("AS019", name.span.start, name.span.end, message, help="rename one of them", related=related)


def _look(report: Report, node: Node, depth: int, *, hidden: bool) -> None:
    match node:
        case Mapping():
            children = [entry.value for entry in node.entries]
            for entry in node.entries:
                _look_at_key(report, entry, hidden=hidden)
        case Sequence():
            children = node.items
        case Scalar(value=str(text)) if hidden:
            _look_at_text(report, text, node)
            return
        case _:
            return
    if depth > MAX_DEPTH:
        raise Refused(TOO_DEEP, node.span.start)
    for child in children:
        _look(report, child, depth + 1, hidden=hidden)


def _look_at_key(report: Report, entry: Entry, *, hidden: bool) -> None:
    span = entry.key.span
    if not entry.name:
        report.add("AS011", span.start, span.end, "a key is empty", help="write the key")
    if hidden:
        suspects = hidden_in(entry.name)
        _refuse_name(report, suspects, entry.key)


def _look_at_text(report: Report, text: str, node: Scalar) -> None:
    hidden = hidden_in(text)
    if node.style == "word":
        _refuse_name(report, [each for each in hidden if each not in JOINERS], node)
        return
    turning = next((each for each in hidden if each in BIDI), None)
    if turning is None:
        return
    start, end = _place(node, turning)
    advice = 'what people read is not what the model reads; remove it, or write it as an escape in `"…"`'
    report.add("AS021", start, end, f"a text turns its reading direction (U+{ord(turning):04X})", help=advice)


def _refuse_name(report: Report, suspects: list[str], node: Scalar) -> None:
    if not suspects:
        return
    start, end = _place(node, suspects[0])
    if any(each.code == "AS020" and each.span.start == start for each in report.diagnostics):
        return  # the lexer has told
    fix = report.replace("remove it", start, end, "") if end - start == 1 else None
    report.add("AS020", start, end, unseen(suspects[0]), help="remove it", fix=fix)


def _place(node: Scalar, character: str) -> tuple[int, int]:
    offset = node.span.text.find(character)
    start = node.span.start + max(offset, 0)
    return (start, start + 1) if offset >= 0 else (start, node.span.end)


def _path(documents: list[Document], offset: int) -> Path:
    """The path of the innermost entry or item that an offset stands in."""
    path: list[str | int] = []
    node = next((each.root for each in documents if each.span.start <= offset <= each.span.end), None)
    while node is not None:
        step, node = _step(node, offset)
        if step is not None:
            path.append(step)
    return tuple(path)


def _step(node: Node, offset: int) -> tuple[str | int | None, Node | None]:
    """One step down, into the smallest part around the offset: the tools of a block may lie between its keys."""
    parts: list[tuple[str | int, Span, Node]] = []
    if isinstance(node, Mapping):
        parts = [(entry.name, entry.span, entry.value) for entry in node.entries]
    elif isinstance(node, Sequence):
        parts = [(index, item.span, item) for index, item in enumerate(node.items)]
    around = [part for part in parts if part[1].start <= offset <= part[1].end]
    if not around:
        return None, None
    step, _, child = min(around, key=lambda part: part[1].end - part[1].start)
    return step, child
