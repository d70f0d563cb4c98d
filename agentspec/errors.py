"""errors: what this package raises. An author's mistake is a `Diagnostic`, the world's failure an event.

AgentSpecError
├── SpecInvalid       the spec has errors; carries the diagnostics
├── NotAllowed        the caller asked for what the run may not do
├── NotFound          no such spec, run, preset, artifact
├── Unavailable       something that has to be there is not: an optional package, a provider's key
├── JournalError      the store failed, or a journal is damaged
│   ├── LeaseLost     another process drives the run
│   └── ReplayDiverged  a journal folds to other decisions than it holds
├── ExpressionError   an expression failed while it was evaluated
└── InternalError     a bug; please report it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentspec.text.diagnostic import Diagnostic


FINDINGS_SHOWN = 5


class AgentSpecError(Exception):
    """The root of the tree. `str()` of one is a sentence for people, without secrets.

    >>> from agentspec import load
    >>> try:
    ...     load("no-such-file.yaml")
    ... except AgentSpecError as error:
    ...     print(type(error).__name__)
    NotFound
    """


class SpecInvalid(AgentSpecError):
    """A spec has errors; `diagnostics` holds all of its findings."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        """The sentence, then the first findings with their places."""
        more = len(self.diagnostics) - FINDINGS_SHOWN
        lines = [self.message, *(f"  {found}" for found in self.diagnostics[:FINDINGS_SHOWN])]
        return "\n".join(lines + [f"  and {more} more"] * (more > 0))


class NotAllowed(AgentSpecError):
    """The caller asked for something that the spec or the project refuses."""


class NotFound(AgentSpecError):
    """A named thing does not exist."""


class Unavailable(AgentSpecError):
    """Something that has to be there is not: the message names it and how to get it."""


class JournalError(AgentSpecError):
    """The store failed, or a journal is damaged; the message names the record."""


class LeaseLost(JournalError):
    """Another process drives the run; the message says who and since when."""


class ReplayDiverged(JournalError):
    """Folding a journal again gave another decision than the one it holds."""


class ExpressionError(AgentSpecError):
    """An expression failed while it was evaluated (missing key, division by zero, too many steps)."""


class InternalError(AgentSpecError):
    """A bug in agentspec; please report it."""
