"""document: the YAML spelling (and JSON, its subset): a source to document trees.

Only values come back: whatever the text, nothing is raised, nothing constructed, and nothing takes long.
"""

from __future__ import annotations

from agentspec.syntax.characters import refusal
from agentspec.syntax.findings import quoted
from agentspec.syntax.limits import MAX_SYNTAX_ERRORS
from agentspec.syntax.tree import Document, Mapping, Node, Parsed, Scalar
from agentspec.syntax.yaml.documents import read_documents
from agentspec.syntax.yaml.events import PARSER, ParserClass
from agentspec.syntax.yaml.reading import Reading, Refused
from agentspec.syntax.yaml.text import is_version_1_2
from agentspec.text.diagnostic import Diagnostic, Related, sort_key
from agentspec.text.source import Source, Span

HEADS = ("preset", "library", "scenario", "name")


def parse(source: Source, parser: ParserClass = PARSER) -> Parsed:
    """The documents of a YAML or JSON text, with every finding about its form.

    Broken parts are `Broken` in the tree and the rest is intact. A file that is refused as a whole (a limit, a control
    character) gives no document and one error. The YAML is version 1.2's core schema, whatever a directive says.

    >>> parse(Source("x.yaml", "name: x\\n")).documents[0].root.names()
    ['name']
    """
    refused = refusal(source)
    if refused is not None:
        return _parsed(source, [], [refused])
    reading = Reading(source, parser)
    try:
        documents = read_documents(reading)
    except Refused as limit:
        return _parsed(source, [], [limit.diagnostic])
    _check_directives(reading)
    _check_names(reading, documents)
    if not documents:
        reading.report("AS018", "the file is empty", Span(source, 0, 0), help="`agentspec init` writes a first spec")
    return _parsed(source, documents, reading.diagnostics)


def _check_directives(reading: Reading) -> None:
    for start, end in reading.prepared.directives[:MAX_SYNTAX_ERRORS]:
        span = reading.span(start, end)
        if not is_version_1_2(span.text):
            message = f"directive {quoted(span.text)} has no effect"
            reading.report("AS026", message, span, help="every file is read as YAML 1.2; remove the line")


def _check_names(reading: Reading, documents: list[Document]) -> None:
    """Two documents of one name in a file: `FILE#NAME` could mean either."""
    first: dict[tuple[bool, str], Node] = {}
    for document in documents:
        head, name = _head(document.root)
        if not isinstance(name, Scalar) or not isinstance(name.value, str):
            continue
        twin = first.setdefault((head == "scenario", name.value), name)
        if twin is not name:
            message = f"two documents of this file are named {quoted(name.value)}"
            related = (Related(twin.span, "the first one"),)
            reading.path.append(head)
            reading.report("AS019", message, name.span, help="rename one of them", related=related)
            reading.path.pop()


def _head(root: Node) -> tuple[str, Node | None]:
    """What a document is and its name."""
    if isinstance(root, Mapping):
        for head in HEADS:
            name = root.get(head)
            if name is not None:
                return head, name
    return "", None


def _parsed(source: Source, documents: list[Document], diagnostics: list[Diagnostic]) -> Parsed:
    return Parsed(source=source, spelling="yaml", documents=documents, diagnostics=sorted(diagnostics, key=sort_key))
