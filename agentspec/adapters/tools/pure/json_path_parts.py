"""json_path_parts: what a JSONPath query is made of (RFC 9535), as records. Reads and finds nothing."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias


class Name(NamedTuple):
    name: str


class Index(NamedTuple):
    at: int


class Slice(NamedTuple):
    start: int | None
    end: int | None
    step: int


class Wildcard(NamedTuple):
    """Every child."""


class Literal(NamedTuple):
    value: Any


class Segment(NamedTuple):
    """What is taken of each value, or with `is_deep` of each value within it."""

    selectors: tuple[Selector, ...]
    is_deep: bool


class Query(NamedTuple):
    """Segments from the document's root, or from the value that a filter looks at."""

    from_root: bool
    segments: tuple[Segment, ...]

    @property
    def is_singular(self) -> bool:
        """Whether it can find no more than one value."""
        return all(
            not segment.is_deep and len(segment.selectors) == 1 and isinstance(segment.selectors[0], Name | Index)
            for segment in self.segments
        )


class Call(NamedTuple):
    name: str
    arguments: tuple[Operand, ...]


class Compare(NamedTuple):
    sign: str
    left: Operand
    right: Operand


class Negation(NamedTuple):
    inner: Test


class Junction(NamedTuple):
    is_all: bool
    parts: tuple[Test, ...]


class Filter(NamedTuple):
    test: Test


Operand: TypeAlias = Literal | Query | Call
Test: TypeAlias = Junction | Negation | Compare | Query | Call
Selector: TypeAlias = Name | Index | Slice | Wildcard | Filter
