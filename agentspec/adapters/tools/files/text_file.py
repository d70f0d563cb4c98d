"""text_file: the text of a file for editing, and its bytes again, in the file's own encoding and line ends.

Bytes that no edit touches come back as they were: also those that are not UTF-8.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from agentspec.adapters.tools.programs.decode import is_binary, is_utf16

_BOM = "\ufeff"
_SAMPLE = 64 * 1024


class NotText(Exception):
    """A file or a new text that can't be edited; `str()` says why."""


class Change(NamedTuple):
    """The text from `start` to `end`, in positions of `TextFile.text`, becomes `new`."""

    start: int
    end: int
    new: str


class TextFile:
    """A file as text: `text` has line feeds alone, whatever ends the lines of the file.

    >>> file = TextFile(b"one\\r\\ntwo\\r\\n")
    >>> file.changed([Change(4, 7, "2\\nand")])
    b'one\\r\\n2\\r\\nand\\r\\n'
    """

    def __init__(self, data: bytes) -> None:
        if is_binary(data[:_SAMPLE]):
            raise NotText("it is no text")
        self.encoding = "utf-16-le" if data.startswith(b"\xff\xfe") else "utf-16-be" if is_utf16(data) else "utf-8"
        self._errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        try:
            raw = data.decode(self.encoding, self._errors)
        except UnicodeDecodeError as error:
            raise NotText("it is no text in UTF-16, though it begins so") from error
        self.bom = _BOM if raw.startswith(_BOM) else ""
        self._raw = raw[len(self.bom) :]
        self.text = self._raw.replace("\r\n", "\n")
        self._crlf = [found.start() - count for count, found in enumerate(re.finditer("\r\n", self._raw))]
        self.newline = "\r\n" if len(self._crlf) * 2 > self.text.count("\n") else "\n"

    @property
    def is_utf8(self) -> bool:
        return self.encoding == "utf-8" and not any("\udc80" <= char <= "\udcff" for char in self._raw)

    def changed(self, changes: list[Change]) -> bytes:
        """The bytes with these changes, which lie in order and don't overlap. Raises `NotText`."""
        parts, at = [self.bom], 0
        for change in changes:
            parts += [self._raw[at : self._place(change.start)], self._styled(change.new)]
            at = self._place(change.end)
        return "".join((*parts, self._raw[at:])).encode(self.encoding, self._errors)

    def written(self, text: str) -> bytes:
        """The bytes of a text that takes the place of the whole, with the mark and the line ends of the file.

        A text with line ends of its own (`\\r\\n`) keeps them.
        """
        body = text if "\r\n" in text else text.replace("\n", self.newline)
        return (self.bom + body.removeprefix(_BOM)).encode(self.encoding)

    def _place(self, position: int) -> int:
        """Where a position of `text` stands in the file's text with its carriage returns."""
        return position + bisect_left(self._crlf, position)

    def _styled(self, new: str) -> str:
        if self.encoding == "utf-8" and not new.isascii() and not self.is_utf8:
            raise NotText("it is not UTF-8, and letters beyond ASCII can't be put into it")
        return new.replace("\r\n", "\n").replace("\n", self.newline)


def require_writable(text: str) -> None:
    """Raise `NotText` for a text with half a character in it, which no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start : error.start + 1].encode("unicode_escape").decode()
        raise NotText(f"the text holds half a character (`{half}`) that can't be written") from error
