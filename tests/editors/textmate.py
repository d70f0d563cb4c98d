"""textmate: colours a text by a TextMate grammar, as editors do: line by line, one stack of open patterns.

As much of the format as our grammar uses. Patterns keep to what Oniguruma, which editors run, and `re` read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Rule = dict[str, Any]


class Frame(NamedTuple):
    """An open `begin`: its rule, and its `end` with what `begin` has captured put in."""

    rule: Rule
    end: str


def patterns_of(rule: Rule) -> Iterator[str]:
    """All regular expressions of a grammar."""
    for name in ("match", "begin", "end"):
        if name in rule:
            yield rule[name]
    for inner in [*rule.get("patterns", ()), *rule.get("repository", {}).values()]:
        yield from patterns_of(inner)


def coloured(grammar: Rule, text: str) -> list[tuple[str, str]]:
    """Each coloured piece of a text, with its innermost scope, without the grammar's own suffix."""
    return list(_Painter(grammar).paint(text))


class _Painter:
    def __init__(self, grammar: Rule) -> None:
        self.grammar = grammar
        self.stack: list[Frame] = []

    def paint(self, text: str) -> Iterator[tuple[str, str]]:
        for line in text.splitlines(keepends=True):
            at = 0
            while at < len(line):
                found = self.first(line, at)
                piece = line[at : found[0].start()] if found else line[at:]
                if piece.strip() and self.scope():
                    yield piece.strip(), self.scope()
                if found is None:
                    break
                yield from self.enter(*found)
                at = found[0].end()

    def scope(self) -> str:
        return next((_short(frame.rule["name"]) for frame in reversed(self.stack) if "name" in frame.rule), "")

    def first(self, line: str, at: int) -> tuple[re.Match[str], Rule | None] | None:
        """The match that begins first; of several the end of what is open, then the pattern that stands first."""
        rules: list[tuple[str, Rule | None]] = [(self.stack[-1].end, None)] if self.stack else []
        inner = self.stack[-1].rule.get("patterns", ()) if self.stack else self.grammar["patterns"]
        rules += [(rule.get("match") or rule["begin"], rule) for rule in self.flat(inner)]
        found = [(match, rule) for regex, rule in rules if (match := re.compile(regex).search(line, at)) is not None]
        return min(found, key=lambda pair: pair[0].start(), default=None)

    def flat(self, rules: list[Rule]) -> Iterator[Rule]:
        for rule in rules:
            if "include" in rule:
                yield from self.flat([self.grammar["repository"][rule["include"].removeprefix("#")]])
            elif "match" in rule or "begin" in rule:
                yield rule
            else:
                yield from self.flat(rule["patterns"])

    def enter(self, match: re.Match[str], rule: Rule | None) -> Iterator[tuple[str, str]]:
        if rule is None:
            frame = self.stack.pop()
            yield from _captured(match, frame.rule.get("endCaptures", {}), _short(frame.rule.get("name", "")))
        elif "match" in rule:
            yield from _captured(match, rule.get("captures", {}), _short(rule.get("name", "")))
        else:
            yield from _captured(match, rule.get("beginCaptures", {}), _short(rule.get("name", "")))
            end = re.sub(r"\\(\d)", lambda number: re.escape(match[int(number[1])]), rule["end"])
            self.stack.append(Frame(rule, end))


def _captured(match: re.Match[str], captures: dict[str, Rule], scope: str) -> Iterator[tuple[str, str]]:
    named = [(match[int(number)], _short(one["name"])) for number, one in captures.items() if match[int(number)]]
    if named:
        yield from ((text.strip(), name) for text, name in named if text.strip())
    elif scope and match[0].strip():
        yield match[0].strip(), scope


def _short(scope: str) -> str:
    return scope.removesuffix(".agentspec")
