"""AS216 value behind `=`."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.structure.repair import is_dsl, sign_before
from agentspec.spec.structure.words import clipped
from agentspec.syntax.yaml.entries import EXPRESSION_KEYS
from agentspec.text.diagnostic import Diagnostic, Edit, Fix

LITERAL = r'(?s)".*"|-?[0-9.]+|true|false|\[.*\]|\{.*\}'


class LiteralBehindEquals(Rule):
    """A value of the DSL stands behind `=`, where an expression is written.

    Why: what stands behind `=` is kept as it is written, to the end of the line: a text keeps its quotes, a number is
    a text, and the next entry of the line belongs to it.

    Bad:

    ```agent
    agent triage {
      context { system = "You sort tickets." }
    }
    ```

    Good:

    ```agent
    agent triage {
      context { system: "You sort tickets." }
    }
    ```

    Fix: write `:` instead of `=`.
    """

    code = "AS216"
    title = "value behind `=`"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, node, text in subject.texts if is_dsl(subject.source) else ():
            if node.style != "expression" or path[-1] in EXPRESSION_KEYS or not re.fullmatch(LITERAL, text):
                continue
            sign = sign_before(node) if subject.is_own(node.span) and subject.is_sound(*path) else None
            if sign is None:
                continue
            yield self.finding(
                node.span,
                f"`{path[-1]}` becomes the text `{clipped(text)}`: behind `=` stands an expression",
                path=path,
                help="write `:` instead of `=`",
                fix=Fix("write `:`", (Edit(sign, ":"),), "local"),
            )
