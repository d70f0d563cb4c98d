"""text: the text that the YAML parser is shown: as long as the file, so that every offset stays true.

PyYAML reads YAML 1.1 here and there. Characters that it would misread are replaced one for one; `Prepared.restore`
and the source itself bring back what was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Line ends of YAML 1.1 that are none in YAML 1.2 (and in no editor), and the byte-order mark inside a text.
MISREAD = "\x85\u2028\u2029\ufeff"
PRIVATE_USE = range(0xE000, 0xF8FF)


class Prepared(NamedTuple):
    """A text for the parser. `restore` is the `str.translate` table back, None where nothing was replaced.

    Scalars that hold `tab`, or where `has_surrogates` is true an escape like JSON's `\\ud83d`, are decoded from the
    source.
    `directives` are the places of `%` lines, which the parser never sees.
    """

    text: str
    restore: dict[int, str] | None = None
    tab: str | None = None
    has_surrogates: bool = False
    directives: tuple[tuple[int, int], ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether every scalar reads as the parser says."""
        return self.restore is None and self.tab is None and not self.has_surrogates


def prepare(text: str) -> Prepared:
    """Replace what PyYAML would misread; the result is exactly as long as the text."""
    restore: dict[int, str] | None = None
    shown = text
    if not text.isascii():
        present = [character for character in MISREAD if character in text]
        if present:
            free = (chr(number) for number in PRIVATE_USE if chr(number) not in text)
            replace = dict(zip(map(ord, present), free, strict=False))
            restore = {ord(stand_in): chr(number) for number, stand_in in replace.items()}
            shown = text.translate(replace)
    tab = None
    if "\t" in text and (tabs := _first_tabs(text)):
        tab = next(chr(number) for number in PRIVATE_USE if chr(number) not in shown)
        for at in tabs:
            shown = shown[:at] + tab + shown[at + 1 :]
    directives = tuple(_directives(text)) if text.startswith("%") or "\n%" in text else ()
    for start, end in directives:
        shown = shown[:start] + " " * (end - start) + shown[end:]
    if "\\u" not in text:
        return Prepared(shown, restore, tab, directives=directives)
    # libyaml refuses surrogates; any other escape of the same length will do for finding the scalar's end.
    shown, count = re.subn(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", r"\\u0020", shown)
    return Prepared(shown, restore, tab, count > 0, directives)


def _first_tabs(text: str) -> list[int]:
    """Where a block of text begins with a tab behind its indentation, which YAML 1.2.2, 8.1.1.1 takes for text."""
    return [found.end() - 1 for found in re.finditer(r"[|>][-+]?[ \t]*\r?\n(?:[ ]*\r?\n)*[ ]+\t", text)]


def _directives(text: str) -> Iterator[tuple[int, int]]:
    """The lines with `%` before a document begins. They are blanked: no directive changes what is read."""
    is_before = True
    at = 0
    for line in text.splitlines(keepends=True):
        content = line.strip()
        if is_before and line.startswith("%"):
            yield at, at + len(line.rstrip("\r\n"))
        elif content and not content.startswith("#"):
            is_before = line.startswith("...")
        at += len(line)


def is_version_1_2(directive: str) -> bool:
    """Whether a directive only says what holds anyway."""
    return re.fullmatch(r"%YAML[ \t]+1\.2[ \t]*(?:#.*)?", directive) is not None
