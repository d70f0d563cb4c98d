"""events: the YAML event stream of a text, the same from PyYAML's C parser and from its Python parser.

Nothing above knows which one it has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, cast

from yaml.error import YAMLError
from yaml.events import Event


class EventParser(Protocol):
    """What gives the events of a text, one by one."""

    def get_event(self) -> Event | None: ...


ParserClass: TypeAlias = Callable[[str], EventParser]


def parser_class() -> ParserClass:
    """The C parser, where PyYAML was built with libyaml; else the Python parser, some twenty times slower."""
    try:
        from yaml._yaml import CParser  # noqa: PLC0415 - a PyYAML without libyaml has none
    except ImportError:
        from agentspec.syntax.yaml.python import PythonParser  # noqa: PLC0415 - only where it is used

        return PythonParser
    return CParser


PARSER = parser_class()


def reader(text: str, parser: ParserClass = PARSER) -> Callable[[], Event]:
    """The function that gives the next event of a text at each call, or raises `YAMLError`."""
    return cast("Callable[[], Event]", parser(text).get_event)


def stumbled_at(error: YAMLError) -> int:
    """Where reading failed, or where that began which could not be read to its end."""
    marks = [getattr(error, name, None) for name in ("problem_mark", "context_mark")]
    return min((mark.index for mark in marks if mark is not None), default=0)


def start_of(event: Event) -> int:
    """The offset at which an event begins, its anchor and tag included."""
    assert event.start_mark is not None
    return event.start_mark.index


def end_of(event: Event) -> int:
    """The offset after an event."""
    assert event.end_mark is not None
    return event.end_mark.index
