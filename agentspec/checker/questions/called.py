"""called: the agent that a tool of a spec calls, composed. It looks into files; what is wrong there it does not say."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from agentspec.checker.subject import Subject
from agentspec.compose.documents import looks_like_file
from agentspec.compose.load import Composed, load
from agentspec.errors import NotFound
from agentspec.syntax.tree import Mapping, find
from agentspec.text.diagnostic import Diagnostic


def called_agent(subject: Subject, reference: str, sets: Iterable[str] = ()) -> Composed | None:
    """What a word means that calls an agent: one of the same file, or of a file beside it; None where nothing is there.

    As a run finds it: of a file that holds several, one has to be named. `sets` are keys of it that are set.
    """
    file = subject.source.name
    try:
        if not looks_like_file(reference):
            return load(file, name=reference, sets=sets)
        return load(os.path.normpath(Path(file).absolute().parent / reference), sets=sets)
    except NotFound:
        return None


def errors_of(composed: Composed) -> list[Diagnostic]:
    """What reading and composing found wrong with it."""
    return [found for found in (*composed.parsed.diagnostics, *composed.diagnostics) if found.severity == "error"]


def calls_agents(composed: Composed) -> bool:
    """Whether it calls agents itself."""
    tools = find(composed.tree, ("capability", "tools"))
    entries = tools.entries if isinstance(tools, Mapping) else ()
    calls = any(isinstance(entry.value, Mapping) and entry.value.get("agent") is not None for entry in entries)
    return calls or find(composed.tree, ("capability", "subagents")) is not None
