"""validate: hold values against JSON Schema 2020-12, and say everything that is wrong in words.

Nothing is ever fetched: a `$ref` that leads out of the schema is an error. Patterns are RE2, so none is slow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agentspec.core.calls.adapt import coerce, complete, unwrap
from agentspec.core.record import Record
from agentspec.core.schema.library import Judge, bad_patterns, judge_for, judge_of_schemas
from agentspec.core.schema.quick import compile_quick
from agentspec.core.schema.words import MOST, clip, show, words_of

Mode = Literal["strict", "lenient", "none"]


class Admitted(Record, frozen=True):
    """Arguments on their way to a tool: refused where `problems` has anything, else `value` is what the tool gets.

    `changes` says what was altered on the way; defaults that were filled in are no change.
    """

    value: Any
    problems: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


class Validator:
    """A compiled schema. Small values of small schemas are decided here, all else by the `jsonschema` library."""

    def __init__(self, schema: Mapping[str, Any] | bool, *, noun: str = "argument") -> None:
        self.schema = schema
        self._noun = noun
        self._quick = compile_quick(schema)
        self._judge: Judge | None = None
        self._completes = _mentions(schema, ("default", "integer", "$ref"), 0)

    def check(self, value: Any) -> list[str]:
        """Everything that is wrong with `value`, in words, each with its path; empty where it is valid."""
        if self._quick(value):
            return []
        if self._judge is None:
            self._judge = judge_for(self.schema)
        words: list[str] = []
        try:
            for error in self._judge.iter_errors(value):
                words.extend(words_of(error, self._noun))
                if len(words) > MOST:
                    break
        except Exception as error:  # noqa: BLE001 - a broken or endless schema raises whatever it likes
            return [f"the schema cannot be applied: {clip(str(error) or type(error).__name__, 200)}"]
        unique = list(dict.fromkeys(words))
        return unique if len(unique) <= MOST else [*unique[:MOST], "and more"]

    def admit(self, value: Any, mode: Mode = "strict") -> Admitted:
        """Check arguments, mend their form where that is allowed, and fill in defaults.

        `strict` refuses, but decodes a list or object that came as JSON inside a string where only that makes the
        arguments valid (models repeat that form however often they are told); `lenient` also converts; `none` checks
        nothing.
        """
        if mode == "none":
            return Admitted(self._completed(value))
        problems = self.check(value)
        if not problems:
            return Admitted(self._completed(value))
        adapted = (coerce if mode == "lenient" else unwrap)(self.schema, value)
        if adapted.changes:
            left = self.check(adapted.value)
            if not left:
                return Admitted(self._completed(adapted.value), changes=adapted.changes)
            problems = left if mode == "lenient" else problems
        return Admitted(value, tuple(problems))

    def _completed(self, value: Any) -> Any:
        return complete(self.schema, value) if self._completes else value


def compile_schema(schema: Mapping[str, Any] | bool, *, noun: str = "argument") -> Validator:
    """A validator for a schema; whether the schema itself is sound is asked with `problems_of`.

    >>> compile_schema({"type": "object", "properties": {"n": {"type": "integer"}}}).check({"n": "3"})
    ['`n` must be an integer, not the string "3"']
    """
    return Validator(schema, noun=noun)


def problems_of(schema: Any) -> list[str]:
    """What is wrong with a schema itself, in words: the metaschema's findings, and patterns that RE2 can't read."""
    if not isinstance(schema, Mapping | bool):
        return ["a schema is a mapping"]
    try:
        words = [word for error in judge_of_schemas(schema).iter_errors(schema) for word in words_of(error, "keyword")]
    except RecursionError:
        return ["the schema is nested too deeply"]
    return list(dict.fromkeys(words)) + [
        f"the pattern {show(pattern)} can't be read: RE2 knows no look-around and no back-references"
        for pattern in bad_patterns(schema)
    ]


def _mentions(schema: Any, words: tuple[str, ...], depth: int) -> bool:
    """Whether a schema has any of these keywords or types anywhere."""
    match schema:
        case Mapping():
            return depth > 64 or any(
                key in words or item in words
                if isinstance(item, str)
                else key in words or _mentions(item, words, depth + 1)
                for key, item in schema.items()
            )
        case list():
            return depth > 64 or any(_mentions(item, words, depth + 1) for item in schema)
        case _:
            return False
