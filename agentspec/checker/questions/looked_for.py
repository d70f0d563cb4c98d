"""looked_for: where a file that a spec names was looked for, and the path to the one that was likely meant."""

from __future__ import annotations

from pathlib import Path

from agentspec.checker.subject import Subject
from agentspec.text.paths import is_there
from agentspec.text.source import Span


def looked_for(subject: Subject, name: str, span: Span) -> str:
    """The help of a finding about a file or a folder of the project that isn't there; `span` is where it is named.

    Paths of a spec begin in the folder of the project; only what a document is composed of (`extends`, `for`, agents)
    begins in its own.
    """
    help_ = f"it is looked for in the project folder `{subject.project}`"
    beside = Path(span.source.name).absolute().parent / name
    if is_there(subject.project / name) or not beside.is_relative_to(subject.project) or not is_there(beside):
        return help_
    return f"{help_}; beside this file stands `{beside.relative_to(subject.project)}`"
