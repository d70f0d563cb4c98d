"""document: read a `*.agent` text into the document tree.

The grammar is `grammar/agentspec.lark`; nothing here knows more of the language than its tables say. All syntax errors
of a file are found at once; nothing is raised for an author's mistake.
"""

from __future__ import annotations

from agentspec.syntax.characters import refusal
from agentspec.syntax.dsl.comments import attach
from agentspec.syntax.dsl.insert import close
from agentspec.syntax.dsl.lalr import END
from agentspec.syntax.dsl.layout import close_by_indent
from agentspec.syntax.dsl.recovery import recover
from agentspec.syntax.dsl.report import TOO_MANY, Enough, Refused
from agentspec.syntax.dsl.review import review
from agentspec.syntax.dsl.state import HEADS, State
from agentspec.syntax.dsl.tally import place_of_too_many
from agentspec.syntax.findings import finding
from agentspec.syntax.tree import Document, Parsed
from agentspec.text.diagnostic import Diagnostic, sort_key
from agentspec.text.source import Source, Span

BRACKETS = ("AS051", "AS052", "AS053", "AS057", "AS060")  # errors that a bracket elsewhere may be the reason of


def parse(source: Source) -> Parsed:
    """The documents of a DSL text, with every finding about its form.

    Broken parts are `Broken` in the tree and the rest is intact. A file that is refused as a whole (a limit, a control
    character) gives no document and one error.

    >>> parse(Source("x.agent", "agent x { model { provider: openai } }")).documents[0].root.names()
    ['name', 'model']
    """
    refused = refusal(source)
    if refused is not None:
        return _parsed(source, [], [refused])
    try:
        one_too_many = place_of_too_many(source.text)
        if one_too_many is not None:
            raise Refused(TOO_MANY, one_too_many)
        state = _read(State(source))
        if state.report.count(*BRACKETS):
            state = _better(state, _read(State(source, is_careful=True)))
        review(state.report, state.lowering.documents)
    except Refused as limit:
        place = Span(source, limit.offset, min(limit.offset + 1, len(source.text)))
        return _parsed(source, [], [finding("AS004", limit.message, place)])
    lowering = state.lowering
    attach(source, state.lexer.comments, lowering.sites, lowering.groups, lowering.documents)
    return _parsed(source, state.lowering.documents, state.report.diagnostics)


def _parsed(source: Source, documents: list[Document], diagnostics: list[Diagnostic]) -> Parsed:
    return Parsed(source=source, spelling="dsl", documents=documents, diagnostics=sorted(diagnostics, key=sort_key))


def _read(state: State) -> State:
    try:
        _read_documents(state)
    except Enough:
        _leave(state)
    return state


def _read_documents(state: State) -> None:
    following, take = state.next, state.take
    token = following()
    while True:
        if state.is_careful:
            token = close_by_indent(state, token)
        elif token[0] in HEADS and state.begins_document(token[1]):
            while state.openers:
                close(state)
        if not take(token):
            token = recover(state, token)
        elif token[0] == END:
            return
        else:
            token = following()


def _leave(state: State) -> None:
    """After too many errors: the document that is not finished is broken, and the rest of the text is left alone."""
    last = state.lowering.documents[-1].span.end if state.lowering.documents else 0
    state.sugar.broken_head(last, len(state.text), is_head=True)


def _better(first: State, careful: State) -> State:
    """Braces that miss or abound show in the indent: the reading that trusts it, where it makes more sense."""
    is_torn = careful.report.count("AS060") > first.report.count("AS060")  # it closed what goes on
    return first if is_torn or careful.report.errors > first.report.errors else careful
