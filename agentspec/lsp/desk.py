"""desk: the texts that an editor has open, and what they come to, each worked out once until something changes.

An open text holds instead of its file, also in whatever builds on it. One thread at a time works here.
"""

from __future__ import annotations

import os
from pathlib import Path

from agentspec.checker.check import Options, check_found
from agentspec.checker.likeness import is_like_spec
from agentspec.checker.report import Report
from agentspec.checker.walk import Found
from agentspec.compose.files import Files
from agentspec.syntax.read import DSL_SUFFIXES
from agentspec.text.witness import Witness, listening

ALL = Options()


class Desk:
    """The open texts by real path; `ours` are those that are, or were while they were open, like a spec."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.ours: set[str] = set()
        self.files = Files(self.texts)
        self._reports: dict[str, tuple[Report, frozenset[str]]] = {}

    def put(self, path: str, text: str) -> None:
        """An editor opened a text, or changed it."""
        self.texts[path] = text
        if Path(path).suffix in DSL_SUFFIXES or is_like_spec(text):
            self.ours.add(path)
        self.refresh({path})

    def drop(self, path: str) -> None:
        """An editor closed a text: from now on its file holds again."""
        self.texts.pop(path, None)
        self.ours.discard(path)
        self.refresh({path})

    def refresh(self, changed: set[str]) -> list[str]:
        """Forget what was worked out with files that have changed; gives the open specs that have to be checked."""
        self.files = Files(self.texts)
        stale = [path for path, (_, seen) in self._reports.items() if path in changed or changed & seen]
        for path in stale:
            del self._reports[path]
        return [path for path in stale if path in self.ours]

    def report(self, path: str) -> Report:
        """What `check` says of an open text."""
        if path not in self._reports:
            with listening() as witness:
                report = check_found(Found([Path(path)], [], [], has_folder=False), ALL, self.files)
            self._reports[path] = report, _seen(witness)
        return self._reports[path][0]


def _seen(witness: Witness) -> frozenset[str]:
    """The files that a piece of work depended on."""
    return frozenset(os.path.realpath(path) for _, path in witness.seen)
