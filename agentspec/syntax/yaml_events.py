"""yaml_events: the YAML event stream of a text, the same from PyYAML's C parser and from its Python parser.

Where the two differ, the Python parser is brought to the C parser's reading; nothing above knows which one it has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, cast

from yaml.events import Event, ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

LINE_ENDS = "\0\r\n"


class EventParser(Protocol):
    """What gives the events of a text, one by one."""

    def get_event(self) -> Event | None: ...


ParserClass: TypeAlias = Callable[[str], EventParser]


class PythonParser(Reader, Scanner, Parser):
    """PyYAML's Python parser, made to read tabs and escapes as libyaml does."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        """Blanks between tokens may be tabs, except where a block's indentation is read (libyaml, scanner.c)."""
        line_break: Callable[[], str] = self.scan_line_break
        while True:
            while self.peek() == " " or (self.peek() == "\t" and (self.flow_level or not self.allow_simple_key)):
                self.forward()
            if self.peek() == "#":
                while self.peek() not in LINE_ENDS:
                    self.forward()
            if not line_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def get_event(self) -> Event:
        try:
            next_event: Callable[[], Event] = super().get_event
            event = next_event()
        except (ValueError, OverflowError) as error:
            raise ScannerError(None, None, "escape beyond Unicode", self.get_mark()) from error
        if isinstance(event, ScalarEvent) and not event.value.isascii():
            try:
                event.value.encode()
            except UnicodeEncodeError as error:
                raise ScannerError(None, None, "escape of a surrogate") from error
        return event


def parser_class() -> ParserClass:
    """The C parser, where PyYAML was built with libyaml; else the Python parser, some twenty times slower."""
    try:
        from yaml._yaml import CParser  # noqa: PLC0415 - a PyYAML without libyaml has none
    except ImportError:
        return PythonParser
    return CParser


PARSER = parser_class()


def reader(text: str, parser: ParserClass = PARSER) -> Callable[[], Event]:
    """The function that gives the next event of a text at each call, or raises `YAMLError`."""
    return cast("Callable[[], Event]", parser(text).get_event)


def start_of(event: Event) -> int:
    """The offset at which an event begins, its anchor and tag included."""
    assert event.start_mark is not None
    return event.start_mark.index


def end_of(event: Event) -> int:
    """The offset after an event."""
    assert event.end_mark is not None
    return event.end_mark.index
