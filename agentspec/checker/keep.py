"""keep: write down what each rule asks of a document, so that a check loads only the rules that may find something.

Run by `python -m agentspec.checker.keep` after a change of a rule or of what rules ask; a test holds the file to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

from agentspec.checker.asked import EXPRESSION, REFERENCE_TO, TOOL_WITH, Place
from agentspec.checker.discover import ASKED, PACKAGE, all_rules
from agentspec.checker.questions.offered import Tool
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Node, Path, Scalar
from agentspec.text.source import Source, Span

# Whoever reads these looks at a document as a whole, or at more than the document.
WHOLE = frozenset(("root", "written", "source", "project", "marks", "agents"))


class Blank(Subject):
    """An agent that says nothing, and notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: set[Place] = set()
        self.is_listening = False
        source = Source("blank.yaml", "")
        super().__init__(Mapping(entries=[], span=Span(source, 0, 0)), "agent", FilePath(), source)
        self.is_listening = True
        self.is_asked_as_a_whole = False

    def __getattribute__(self, name: str) -> Any:
        if name in WHOLE and super().__getattribute__("is_listening"):
            self.is_asked_as_a_whole = True
        return super().__getattribute__(name)

    def at(self, *path: str | int) -> Node | None:
        """Nothing, at any place."""
        self.asked.add(path)
        return None

    def tools_with(self, key: str) -> list[Tool]:
        """None, with any key."""
        self.asked.add((TOOL_WITH, key))
        return []

    def references(self, to: str) -> Iterator[tuple[Path, Scalar, str]]:
        """None, to anything."""
        self.asked.add((REFERENCE_TO, to))
        return iter(())

    @property
    def _broken_paths(self) -> list[Path]:
        """None: what is compared with this one is whole."""
        return []

    @property
    def expressions(self) -> list[tuple[Path, Scalar, str]]:
        """None."""
        self.asked.add(EXPRESSION)
        return []


def asked_by(rule: Rule) -> list[Place] | None:
    """The places that a rule asks an empty agent for, where it finds nothing; None for one that asks for everything."""
    blank = Blank()
    found = list(rule.look(blank))
    if found or blank.is_asked_as_a_whole or () in blank.asked:
        return None
    return sorted((place for place in blank.asked if not _is_below_another(place, blank.asked)), key=str)


def _is_below_another(place: Place, others: set[Place]) -> bool:
    """Whether something is only there where another place has something."""
    return any(place[:length] in others for length in range(1, len(place)))


def text() -> str:
    """The text of the file, a line for each rule that looks."""
    looking = {code: rule for code, rule in all_rules().items() if rule.look is not Rule.look}
    rows = ((code, rule.__module__.removeprefix(PACKAGE), asked_by(rule())) for code, rule in looking.items())
    lines = (f"{json.dumps(code)}: {json.dumps([module, asked])}" for code, module, asked in rows)
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    ASKED.write_text(text(), encoding="utf-8")
