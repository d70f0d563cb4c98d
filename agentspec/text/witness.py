"""witness: notes what a piece of work saw of the file system, so that what came of it can be kept until that changes.

Nothing is looked at here; where nobody listens, nothing is noted. What is seen in other ways than through `text.paths`
and `syntax.plain_file` is not noted: `tests/house/test_witness.py` finds it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class Witness:
    """What was seen: an answer for each kind of look at each absolute path.

    `is_lasting` is false where the work depended on something that no later look can tell to be the same.
    """

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str], str] = {}
        self.is_lasting = True


_LISTENING: ContextVar[Witness | None] = ContextVar("agentspec_witness", default=None)


@contextmanager
def listening() -> Iterator[Witness]:
    """Note everything that is seen in the block; whoever listens around it hears of it, too.

    >>> from agentspec.text.paths import is_folder
    >>> with listening() as witness:
    ...     _ = is_folder("/")
    >>> witness.seen
    {('folder', '/'): 'True'}
    """
    witness = Witness()
    before = _LISTENING.set(witness)
    try:
        yield witness
    finally:
        _LISTENING.reset(before)
        repeat(witness)


def is_heard() -> bool:
    """Whether somebody listens: what is dear to describe need not be described otherwise."""
    return _LISTENING.get() is not None


def note(kind: str, path: str | os.PathLike[str], seen: object) -> None:
    """Note what a look of some kind at a path has shown."""
    witness = _LISTENING.get()
    if witness is None:
        return
    place = _absolute(os.fspath(path))
    if place is None:
        witness.is_lasting = False
    else:
        witness.seen[kind, place] = str(seen)


def _absolute(path: str) -> str | None:
    if "\0" in path:
        return None
    try:
        # Not normalised: where a folder is a link, `a/..` is not where it seems to be.
        return os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - as text
    except OSError:  # the working directory is gone
        return path if os.path.isabs(path) else None  # noqa: PTH117 - as text


def repeat(witness: Witness) -> None:
    """Note again what was seen before: by work whose outcome is used once more."""
    listener = _LISTENING.get()
    if listener is not None:
        listener.seen.update(witness.seen)
        listener.is_lasting = listener.is_lasting and witness.is_lasting


class Once:
    """Answers that are found once: whoever asks again has seen what they were found by."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[Any, Witness]] = {}

    def find(self, key: Hashable, find: Callable[[], Answer]) -> Answer:
        """The answer to a question, found where nobody has asked it before.

        >>> once = Once()
        >>> once.find("n", lambda: 1), once.find("n", lambda: 2)
        (1, 1)
        """
        if key in self._known:
            known: Answer = self._known[key][0]
            repeat(self._known[key][1])
            return known
        if is_heard():
            with listening() as witness:
                answer = find()
        else:
            witness, answer = Witness(), find()
        self._known[key] = answer, witness
        return answer


def passing() -> None:
    """Say that the work depends on something that cannot be looked at again."""
    witness = _LISTENING.get()
    if witness is not None:
        witness.is_lasting = False
