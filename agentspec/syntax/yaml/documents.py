"""documents: the documents of a YAML file, each read alone where one of them is broken."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from yaml.error import YAMLError

from agentspec.syntax.tree import Document
from agentspec.syntax.yaml.compose import Composer
from agentspec.syntax.yaml.events import stumbled_at
from agentspec.syntax.yaml.reading import Reading

LINE = r"(?:^|(?<=\r))"
CONTENT = r"[ \t]*[^ \t\r\n#]"


def read_documents(reading: Reading) -> list[Document]:
    """The documents of a file, broken ones with what is intact in them. Raises `Refused` beyond a limit."""
    composer = Composer(reading)
    found: list[Document] = []
    try:
        found.extend(composer.documents())
    except YAMLError as error:
        _recover(reading, composer, error, found)
    return found


def _recover(reading: Reading, composer: Composer, error: YAMLError, found: list[Document]) -> None:
    """Go on behind the documents that were read before the error: one in pieces, then whole ones again."""
    from agentspec.syntax.yaml.recovery import Recovery  # noqa: PLC0415 - intact files never need it

    recovery = Recovery(reading)
    chunks = _chunks(recovery.text)
    while recovery.goes_on:
        reading.restore(composer.state)
        recovery.stumbled = composer.begin + stumbled_at(error)
        at = bisect_right(chunks, composer.done, key=lambda chunk: chunk.end)
        if at == len(chunks):  # nothing is left but tabs
            return
        _, begin, end = chunks[at]
        found.append(recovery.document(begin, end, may_be_intact=len(chunks) > 1))
        if at + 1 == len(chunks):
            return
        composer = Composer(reading, chunks[at + 1].start)
        try:
            found.extend(composer.documents())
        except YAMLError as another:
            error = another
        else:
            return


class Chunk(NamedTuple):
    """One document's stretch. `start` is where it is read from: its `---`, if it has one, stands before `begin`."""

    start: int
    begin: int
    end: int


def _chunks(text: str) -> list[Chunk]:
    """The stretches between `---` and `...` lines that hold anything."""
    start = begin = 0
    chunks: list[Chunk] = []
    for found in re.finditer(LINE + r"(---|\.\.\.)(?=[ \t\r\n]|\Z)|\Z", text, re.MULTILINE):
        if _holds_anything(text, begin, found.start()):
            chunks.append(Chunk(start, begin, found.start()))
        begin = found.end()
        start = found.start() if found.group(1) == "---" else begin
    return chunks


def _holds_anything(text: str, begin: int, end: int) -> bool:
    if re.compile(CONTENT).match(text, begin, end):
        return True
    return re.compile(LINE + CONTENT, re.MULTILINE).search(text, begin, end) is not None
