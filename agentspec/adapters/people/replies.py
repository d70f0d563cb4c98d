"""replies: what the person of a scenario answers: ordered rules, the first that matches the question.

It answers questions of the model alone; nothing is approved by a rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple


class Rule(NamedTuple):
    """A pattern of questions (`*` any characters, `?` one), and the answer to them."""

    match: str
    reply: str


class Replies:
    """The rules of one run. Rules of the same pattern answer in turn, and the last of them from then on.

    >>> replies = Replies([Rule("Which*", "the red one"), Rule("Which*", "the blue one"), Rule("*", "yes")])
    >>> [replies.to(question) for question in ("Which one?", "Sure?", "Which one?", "Which one?")]
    ['the red one', 'yes', 'the blue one', 'the blue one']
    """

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._left: dict[str, list[str]] = {}
        for rule in rules:
            self._left.setdefault(rule.match, []).append(rule.reply)

    def to(self, question: str) -> str | None:
        """The answer to a question, or None where no rule matches."""
        for pattern, replies in self._left.items():
            if fnmatchcase(question, pattern):
                return replies.pop(0) if len(replies) > 1 else replies[0]
        return None
