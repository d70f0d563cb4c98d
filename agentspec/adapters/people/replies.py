"""replies: what the person of a scenario answers: ordered rules, the first that matches the question.

It answers questions of the model alone; nothing is approved by a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

WAIT = "wait"  # the action that leaves a question open


class Rule(NamedTuple):
    """A pattern of questions (`*` any characters, `?` one), and the answer to them; None leaves them open.

    `action` is what happens instead of an answer: `stop`, `fail` or `interrupt`.
    """

    match: str
    reply: str | None
    action: str = ""


def rule_of(given: Mapping[str, Any]) -> Rule:
    """A rule as a scenario writes it.

    >>> rule_of({"match": "Stop*", "action": "stop"})
    Rule(match='Stop*', reply=None, action='stop')
    """
    reply, action = given.get("reply"), given.get("action") or ""
    return Rule(str(given.get("match", "*")), None if reply is None else str(reply), action)


class Replies:
    """The rules of one run. Rules of the same pattern answer in turn, and the last of them from then on.

    >>> replies = Replies([Rule("Which*", "the red one"), Rule("Which*", "the blue one"), Rule("*", "yes")])
    >>> [replies.to(question) for question in ("Which one?", "Sure?", "Which one?", "Which one?")]
    ['the red one', 'yes', 'the blue one', 'the blue one']
    """

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.used: set[str] = set()  # the patterns that have matched
        self._left: dict[str, list[Rule]] = {}
        for rule in rules:
            self._left.setdefault(rule.match, []).append(rule)

    def to(self, question: str) -> str | None:
        """The answer to a question, or None where no rule matches."""
        rule = self.rule_for(question)
        return None if rule is None else rule.reply

    @property
    def unused(self) -> list[str]:
        """The patterns that no question has matched."""
        return [pattern for pattern in self._left if pattern not in self.used]

    def rule_for(self, question: str) -> Rule | None:
        """The rule that answers a question; it has then been used."""
        for pattern, rules in self._left.items():
            if fnmatchcase(question, pattern):
                self.used.add(pattern)
                return rules.pop(0) if len(rules) > 1 else rules[0]
        return None
