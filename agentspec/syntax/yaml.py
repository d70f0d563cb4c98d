"""yaml: the YAML spelling (and JSON, its subset): a source to document trees.

Only values come back: whatever the text, nothing is raised, nothing constructed, and nothing takes long.
"""

from __future__ import annotations

from yaml.error import YAMLError

from agentspec.syntax.characters import refusal
from agentspec.syntax.findings import finding
from agentspec.syntax.tree import Document, Node, Parsed, Scalar
from agentspec.syntax.yaml_compose import Composer
from agentspec.syntax.yaml_events import PARSER, ParserClass
from agentspec.syntax.yaml_reading import Reading, Refused
from agentspec.text.diagnostic import Diagnostic, sort_key
from agentspec.text.source import Source, Span


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
        roots = Composer(reading).documents()
    except Refused as limit:
        return _parsed(source, [], [limit.diagnostic])
    except YAMLError:
        return _parsed(source, [], [finding("AS001", "this cannot be read as YAML", Span(source, 0, 0))])
    documents = [_document(root, reading) for root in roots if not _is_empty(root)]
    if not documents:
        reading.report("AS018", "the file is empty", Span(source, 0, 0), help="`agentspec init` writes a first spec")
    return _parsed(source, documents, reading.diagnostics)


def _parsed(source: Source, documents: list[Document], diagnostics: list[Diagnostic]) -> Parsed:
    return Parsed(source=source, spelling="yaml", documents=documents, diagnostics=sorted(diagnostics, key=sort_key))


def _document(root: Node, reading: Reading) -> Document:
    return Document(root=root, span=root.span, has_broken=reading.has_broken)


def _is_empty(root: Node) -> bool:
    return isinstance(root, Scalar) and root.value is None and root.span.start == root.span.end
