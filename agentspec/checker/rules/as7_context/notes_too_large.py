"""AS721 notes that are too large."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.values import is_quantity, parse_size
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

PLACE: Path = ("context", "scratchpad")


class NotesTooLarge(Rule):
    """The scratchpad may hold more than 16 KiB, or less than the spec itself writes into it.

    Why: notes are recited in every request, so no scratchpad holds more than 16 KiB; and what does not fit into
    `max_size` is dropped, the oldest facts first.

    Bad:

    ```yaml
    name: reader
    context:
      scratchpad: {max_size: 1MB}
    ```

    Good:

    ```yaml
    name: reader
    context:
      scratchpad: {max_size: 8KiB}
    ```

    Fix: write at most `16KiB`, or fewer notes.
    """

    code = "AS721"
    title = "notes that are too large"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.at(*PLACE) is None:
            return
        from agentspec.core.context.notes import MOST, SECTIONS, Notes  # noqa: PLC0415 - few specs have notes

        written = subject.text(*PLACE, "max_size")
        if written is not None and not is_quantity(written, "size"):
            return
        most = MOST if written is None else parse_size(written)
        path = (*PLACE, "max_size")
        if most > MOST:
            words = f"a scratchpad holds at most 16 KiB; this is {written}"
            yield self.finding(subject.span(*path), words, path=path, help="write `16KiB` or less")
            return
        notes = Notes(**{section: subject.words(*PLACE, section) for section in SECTIONS})
        size = len(notes.text().encode())
        if size > most:
            words = f"the notes of the spec have {size} bytes, and the scratchpad holds {most}"
            yield self.finding(subject.key(*PLACE), words, path=PLACE, help="write fewer notes, or raise `max_size`")
