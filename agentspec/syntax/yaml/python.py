"""python: PyYAML's Python parser, brought to libyaml's reading; used where PyYAML has no C parser.

Tabs between tokens, `?` and `:` inside plain flow text, and escapes of impossible characters are where they differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from yaml.error import Mark
from yaml.events import Event, ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError
from yaml.tokens import FlowEntryToken, ScalarToken, TagToken

BREAKS = "\r\n"
BLANKS = " \t"
ENDS = "\0" + BLANKS + BREAKS
FLOW = ",[]{}"
TAG = "-_;/?:@&=+$.!~*'()"


class PythonParser(Reader, Scanner, Parser):
    """Gives the same events as libyaml's parser, and refuses the same texts."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        self.take_break: Callable[[], str] = self.scan_line_break

    def get_event(self) -> Event:
        next_event: Callable[[], Event] = super().get_event
        try:
            event = next_event()
        except (ValueError, OverflowError):
            self._refuse("an escape beyond Unicode")
        if isinstance(event, ScalarEvent) and any("\ud800" <= character <= "\udfff" for character in event.value):
            self._refuse("an escape of half a character")
        return event

    def parse_flow_sequence_entry_mapping_key(self) -> Event:
        """`[? , a]` is refused, as libyaml does."""
        next_event: Callable[[], Event] = super().parse_flow_sequence_entry_mapping_key
        event = next_event()
        if isinstance(event, ScalarEvent) and event.start_mark is event.end_mark and self.check_token(FlowEntryToken):
            self._refuse("a key that is missing")
        return event

    def _refuse(self, problem: str, start: Mark | None = None) -> NoReturn:
        raise ScannerError(None, start, problem, self.get_mark())

    def scan_to_next_token(self) -> None:
        """Blanks may be tabs, except where a block's indentation is read."""
        while True:
            while self.peek() == " " or (self.peek() == "\t" and (self.flow_level or not self.allow_simple_key)):
                self.forward()
            if self.peek() == "#":
                self._skip_line()
            if not self.take_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def _skip_line(self) -> None:
        while self.peek() not in "\0" + BREAKS:
            self.forward()

    def check_key(self) -> bool:
        return bool(self.flow_level) or self.peek(1) in ENDS

    def scan_tag(self) -> TagToken:
        """A tag of the characters that libyaml takes, up to a blank."""
        start = self.get_mark()
        is_verbatim = self.peek(1) == "<"
        tag = (None, self._verbatim(start)) if is_verbatim else self._shorthand()
        if self.peek() not in ENDS and not (self.flow_level and self.peek() == ","):
            self._refuse("a tag without a blank behind it", start)
        return TagToken(tag, start, self.get_mark())

    def _verbatim(self, start: Mark) -> str:
        self.forward(2)
        suffix = self._tag_text(FLOW[:3])
        if not suffix or self.peek() != ">":
            self._refuse("a tag that is not closed", start)
        self.forward()
        return suffix

    def _shorthand(self) -> tuple[str | None, str]:
        self.forward()
        handle, mark, suffix = self._tag_text("").partition("!")
        if (mark and handle.replace("-", "").replace("_", "").isalnum()) or (mark and not handle):
            if not suffix:
                self._refuse("a tag without a name")
            return f"!{handle}!", suffix
        text = handle + mark + suffix
        return ("!", text) if text else (None, "!")

    def _tag_text(self, more: str) -> str:
        length = 0
        while (character := self.peek(length)) in TAG + more or (character.isascii() and character.isalnum()):
            length += 1
        text: str = self.prefix(length)
        self.forward(length)
        return text

    def scan_block_scalar_indicators(self, start_mark: Mark) -> tuple[bool | None, int | None]:
        chomping = increment = None
        for _ in range(2):
            character = self.peek()
            if chomping is None and character in "+-":
                chomping = character == "+"
            elif increment is None and character in "123456789":
                increment = int(character)
            elif character == "0":
                self._refuse("an indentation of nothing", start_mark)
            else:
                break
            self.forward()
        return chomping, increment

    def scan_block_scalar_ignored_line(self, start_mark: Mark) -> None:
        while self.peek() in BLANKS:
            self.forward()
        if self.peek() == "#":
            self._skip_line()
        if self.peek() not in "\0" + BREAKS:
            self._refuse("a text behind the header of a block scalar", start_mark)
        self.take_break()

    def scan_block_scalar_indentation(self) -> tuple[list[str], int, Mark]:
        found: tuple[list[str], int, Mark] = super().scan_block_scalar_indentation()
        if self.peek() == "\t":
            self._refuse("a tab in the indentation of a block scalar")
        return found

    def scan_block_scalar_breaks(self, indent: int) -> tuple[list[str], Mark]:
        found: tuple[list[str], Mark] = super().scan_block_scalar_breaks(indent)
        if self.peek() == "\t" and self.column < indent:
            self._refuse("a tab in the indentation of a block scalar")
        return found

    def scan_plain(self) -> ScalarToken:
        """A plain scalar over as many lines as it has."""
        start = end = self.get_mark()
        indent = self.indent + 1
        text = between = ""
        while self.peek() != "#" and not self._is_document_mark():
            word = self._word(start)
            if not word:
                break
            self.allow_simple_key = False
            text += between + word
            end = self.get_mark()
            between = self._between(indent, start)
            if not between or (not self.flow_level and self.column < indent):
                break
        return ScalarToken(text, plain=True, start_mark=start, end_mark=end)

    def _is_document_mark(self) -> bool:
        return self.column == 0 and self.prefix(3) in ("---", "...") and self.peek(3) in ENDS

    def _word(self, start: Mark) -> str:
        """The characters up to the next blank or indicator."""
        length = 0
        while (character := self.peek(length)) not in ENDS and not (self.flow_level and character in FLOW):
            following = self.peek(length + 1)
            if character == ":" and self.flow_level and following in FLOW + "?":
                self._refuse("a colon in a plain text", start)
            if character == ":" and following in ENDS:
                break
            length += 1
        word: str = self.prefix(length)
        self.forward(length)
        return word

    def _between(self, indent: int, start: Mark) -> str:
        """The blanks and line ends before the next word, folded."""
        blanks = ""
        breaks: list[str] = []
        while (character := self.peek()) in BLANKS + BREAKS:
            if character in BREAKS:
                breaks.append(self.take_break())
                self.allow_simple_key = True
                continue
            if breaks and character == "\t" and self.column < indent:
                self._refuse("a tab in the indentation", start)
            blanks += character
            self.forward()
        if not breaks:
            return blanks
        return "".join(breaks[1:]) or " "
