"""cursor: a text with a word put where the cursor is, so that the place has a path, however little is typed.

The readers of both spellings recover from what is half written: such a word, and what may have to follow it, is all
that they need to tell where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from agentspec.compose.documents import name_of
from agentspec.compose.files import Files
from agentspec.lsp.sheet import Part, Sheet
from agentspec.syntax.read import DSL_SUFFIXES
from agentspec.syntax.tree import Entry, Path, Scalar, walk
from agentspec.syntax.tree import Mapping as Branch
from agentspec.syntax.tree import Node as Tree

MARK = "agentspec0cursor0"
BEFORE, AFTER = re.compile(r"[A-Za-z0-9_]*\Z"), re.compile(r"[A-Za-z0-9_]*")
KEY_OF_YAML = re.compile(r"[ \t]*\+?\Z")  # all that stands before a key of a block
# What is put behind the word, in turn, until the word can be read.
AS_KEY, AS_VALUE, IN_DSL = (":", ""), ("", '"', "'", "]", "}", ":"), ("", " => stop", '"', "]", "}", ")", ": 0", " {}")


class Cursor(NamedTuple):
    """Where the cursor is: the document with the word in it, the path, the scalar that holds it, its entry if that is
    a key. `start` and `end` are those of the word that is being typed, in the text that was asked about; `typed` is
    what of it stands before the cursor, `rest` what follows it on its line.
    """

    part: Part
    path: Path
    scalar: Scalar
    entry: Entry | None
    start: int
    end: int
    typed: str
    rest: str

    @property
    def before(self) -> str:
        """What stands before the word on its line."""
        return self.part.sheet.source.text[: self.start].rpartition("\n")[2]

    @property
    def lead(self) -> str:
        """What stands before the word in the same key or value: `files.` of `files.re`."""
        return str(self.scalar.value).partition(MARK)[0]

    @property
    def trail(self) -> str:
        """What stands behind it there."""
        return str(self.scalar.value).partition(MARK)[2]


def cursor_at(path: str, text: str, offset: int, drafts: Mapping[str, str]) -> Cursor | None:
    """Where an offset of a file's text is; None where nothing that is put there can be read."""
    before, after = BEFORE.search(text, 0, offset), AFTER.match(text, offset)
    assert before is not None
    assert after is not None
    start, end = before.start(), after.end()
    rest = text[end:].partition("\n")[0]
    for behind in _ways(path, text[text.rfind("\n", 0, start) + 1 : start], rest):
        files = Files({**drafts, path: f"{text[:start]}{MARK}{behind}{text[end:]}"})
        for index, document in enumerate(files.read(path).documents):
            for where, scalar, entry in _holders(document.root):
                return Cursor(Sheet(path, files).parts[index], where, scalar, entry, start, end, before[0], rest)
    return None


def begins_document(path: str, text: str, offset: int) -> bool:
    """Whether a document of the DSL could begin at an offset: one that did would be read beside those before it."""
    before = BEFORE.search(text, 0, offset)
    if before is None or not path.endswith(tuple(DSL_SUFFIXES)):
        return False
    files = Files({path: f"{text[: before.start()]}agent {MARK} {{}}"})
    return any(name_of(document) == MARK for document in files.read(path).documents)


def _ways(path: str, line: str, rest: str) -> tuple[str, ...]:
    if path.endswith(tuple(DSL_SUFFIXES)):
        return IN_DSL
    return AS_KEY if KEY_OF_YAML.match(line) and not rest.lstrip().startswith(":") else AS_VALUE


def _holders(root: Tree) -> Iterator[tuple[Path, Scalar, Entry | None]]:
    """The key or value that the word stands in."""
    for path, node in walk(root):
        if isinstance(node, Scalar) and MARK in str(node.value):
            yield path, node, None
        for entry in node.entries if isinstance(node, Branch) else ():
            if MARK in entry.name:
                yield (*path, entry.name), entry.key, entry
