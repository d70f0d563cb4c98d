"""dsl: read a `*.agent` text into the document tree.

The grammar is `grammar/agentspec.lark`; nothing here knows more of the language than its tables say. All syntax errors
of a file are found in one pass; nothing is raised for an author's mistake.
"""

from __future__ import annotations

from agentspec.syntax.dsl_comments import attach
from agentspec.syntax.dsl_lexer import Lexer
from agentspec.syntax.dsl_lower import Lowering
from agentspec.syntax.dsl_report import Report
from agentspec.syntax.lalr import END, Machine, load
from agentspec.syntax.tree import Parsed
from agentspec.text.source import Source


def parse(source: Source) -> Parsed:
    """The documents of a DSL text, with everything that is wrong with its syntax."""
    report = Report(source)
    lexer = Lexer(report)
    lowering = Lowering(report, lexer.blanked)
    machine = Machine(load("document"), lowering)
    feed, following, accepts = machine.feed, lexer.next, machine.accepts
    while True:
        token = following(accepts)
        kind, start, end = token
        if not feed(kind, token, start, end):
            report.add("AS050", start, end, f"unexpected `{source.text[start:end]}`")
            break
        if kind == END:
            break
    attach(source, lexer.comments, lowering.sites, lowering.documents)
    return Parsed(source=source, spelling="dsl", documents=lowering.documents, diagnostics=report.diagnostics)
