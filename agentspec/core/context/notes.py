"""notes: what a model keeps in its scratchpad: goals, open items, facts with what they rest on, references. Pure.

A fact that somebody else has put in order is kept only where it cites references that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from agentspec.core.record import Record
from agentspec.core.transcript import bytes_of

MOST = 16 * 1024  # bytes
SECTIONS = ("goals", "open_items", "facts", "refs", "deliverables")
TITLES = {
    "goals": "Goals",
    "open_items": "Open items",
    "facts": "Facts",
    "refs": "References",
    "deliverables": "To be handed over",
}
FIRST_TO_GO = ("facts", "refs", "open_items", "deliverables", "goals")  # where they are too long, the oldest first
MARKS = "-*• \t"
TEXTS = {"type": "array", "items": {"type": "string"}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "goals": TEXTS,
        "open_items": TEXTS,
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "refs": TEXTS},
                "required": ["text", "refs"],
                "additionalProperties": False,
            },
        },
        "refs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "source": {"type": "string"}},
                "required": ["id", "source"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["goals", "open_items", "facts", "refs"],
    "additionalProperties": False,
}


class Notes(Record, frozen=True):
    """The scratchpad. A fact ends with the names of its references (`[r1]`), a reference begins with its own name."""

    goals: tuple[str, ...] = ()
    open_items: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    deliverables: tuple[str, ...] = ()

    def written(self, section: str, text: str, *, is_added: bool = False) -> Notes:
        """The notes with the lines of a text as this section, or behind what stands there."""
        lines = tuple(line for line in (line.lstrip(MARKS).rstrip() for line in text.splitlines()) if line)
        return replace(self, **{section: (*getattr(self, section), *lines) if is_added else lines})

    def text(self) -> str:
        """The notes as they are read; nothing where there are none."""
        parts = [
            "\n".join((f"{TITLES[section]}:", *(f"- {line}" for line in lines)))
            for section in SECTIONS
            if (lines := getattr(self, section))
        ]
        return "\n\n".join(parts)

    def within(self, most: int) -> Notes:
        """The notes in at most so many bytes: the oldest facts go first, the goals last.

        >>> Notes(goals=("ship",), facts=("a" * 40, "b" * 40)).within(80).facts == ("b" * 40,)
        True
        """
        notes = self
        for section in FIRST_TO_GO:
            while getattr(notes, section) and bytes_of(notes.text()) > most:
                notes = replace(notes, **{section: getattr(notes, section)[1:]})
        return notes


def names_of(refs: Iterable[str]) -> frozenset[str]:
    """The names of references.

    >>> sorted(names_of(["r1: src/a.py", "r2: the log"]))
    ['r1', 'r2']
    """
    return frozenset(ref.partition(":")[0].strip() for ref in refs)


def reordered(notes: Notes, said: Mapping[str, Any], evidence: str) -> tuple[Notes, int]:
    """The notes as somebody has put them in order, and how many facts and references were not taken.

    A new reference is one whose source stands in the `evidence`; a fact without a known reference is none.
    """
    known = dict(ref.partition(":")[::2] for ref in notes.refs)
    offered = [(str(ref["id"]).strip(), str(ref["source"]).strip()) for ref in said["refs"]]
    refs = [(name, source) for name, source in offered if name and (name in known or (source and source in evidence))]
    names = {name for name, _ in refs}
    facts = [
        f"{fact['text'].strip()} [{', '.join(fact['refs'])}]"
        for fact in said["facts"]
        if fact["text"].strip() and fact["refs"] and names.issuperset(fact["refs"])
    ]
    left_out = len(offered) - len(refs) + len(said["facts"]) - len(facts)
    made = replace(
        notes,
        goals=_lines(said["goals"]),
        open_items=_lines(said["open_items"]),
        facts=tuple(map(_line, facts)),
        refs=tuple(_line(f"{name}: {source}") for name, source in refs),
    )
    return made, left_out


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in map(_line, texts) if line)


def _line(text: str) -> str:
    return " ".join(text.split())
