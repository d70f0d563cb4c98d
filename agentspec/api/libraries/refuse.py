"""refuse: what keeps libraries from being locked, as a check would tell it of the specs that use them.

What only a spec decides, such as whom it trusts, keeps nothing from being locked. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agentspec.api.libraries.wants import files_of
from agentspec.checker.check import check_composed
from agentspec.checker.placing import at_the_author
from agentspec.compose.documents import kind_of
from agentspec.compose.files import Files
from agentspec.compose.libraries.manifest import Manifest
from agentspec.compose.load import compose
from agentspec.syntax.tree import Document, find
from agentspec.text.diagnostic import Diagnostic

REFUSED: Final = frozenset(("AS442", "AS446", "AS447", "AS448", "AS450", "AS453", "AS454"))
"""What is wrong with a library itself: not there, exported twice or not at all, of a version that does not fit, in a
circle, yanked, with a path that leads out of it.
"""
LIBRARIES: Final = ("AS44", "AS45")  # codes


def refusals(project: Path, files: Files) -> Iterator[Diagnostic]:
    """What is wrong with the libraries of a project by the lock that `files` go by, each at the place of a check."""
    for shown, parsed in files_of(project, files):
        for document in filter(_is_concerned, parsed.documents):
            composed = compose(parsed, document, shown, files)
            yield from (at_the_author(one, composed) for one in composed.diagnostics if _is_refused(one))


def manifest_errors(manifest: Manifest, files: Files) -> list[Diagnostic]:
    """The errors in what a library says of itself: nobody else may ever check that file, and what is misspelt in it
    counts as not said. What its libraries are is another question.
    """
    composed = compose(manifest.parsed, manifest.document, manifest.parsed.source.name, files)
    found = [*manifest.parsed.diagnostics, *check_composed(composed, {})]
    return [one for one in found if one.severity == "error" and not one.code.startswith(LIBRARIES)]


def _is_refused(one: Diagnostic) -> bool:
    return one.code in REFUSED and one.caused_by is None


def _is_concerned(document: Document) -> bool:
    keys = ("requires", "libraries") if kind_of(document) == "library" else ("use",)
    return find(document.root, keys) is not None
