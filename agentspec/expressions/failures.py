"""failures: what went wrong while an expression ran, as one sentence in our words.

CEL gives some failures back as a value and raises others; both become one `ExpressionError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from agentspec.errors import ExpressionError
from agentspec.expressions.engine import SAID, cel
from agentspec.expressions.results import plain
from agentspec.expressions.words import a, split_types

TYPES = {"null_type": "null_type", "int64": "int", "uint64": "uint", "struct": "record.", "list": "list", "map": "map"}


def _no_overload(match: re.Match[str]) -> str:
    types = [TYPES.get(part, part) for part in split_types(f"({match[2]})")]
    if "null_type" in types:
        return "a value is missing (null) where one is needed; ask with `has( )` first"
    if {"double", "int"} <= set(types):
        return "an integer and a number do not mix; numbers of free data are doubles: write `2.0`, or `double(x)`"
    what = " and ".join("a record" if form == "record." else a(form) for form in types)
    name = re.sub(r"^_?(\W+)_?$|^(\w.*)$", lambda found: found[1] or found[2], match[1]).strip("@")
    name = name.removeprefix("bounded.")  # what stands in the place of CEL's own has its name
    return (
        f"`{name.replace('_', '')}` does not take {what}"
        if re.search(r"\W", name)
        else f"`{name}` does not take {what}"
    )


# Patterns are compiled when something fails, not while this is imported.
SENTENCES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"divide by zero", lambda _: "division by zero"),
    (r"modulus by zero", lambda _: "division by zero"),
    (r"Key not found in map : (.*)", lambda match: f"there is no key `{match[1].strip(chr(34))}`"),
    (
        r"Index error: index=(-?\d+) size=(\d+)",
        lambda match: f"there is no item {match[1]} in a list of {match[2]}",
    ),
    (r'No value with name "([^"]*)"', lambda match: f"`{match[1]}` has no value here"),
    (r"No matching overloads? found : ([^(]*)\((.*)\)", _no_overload),
    (r"overflow|out of (?:u?int64|double|range)|out of range", lambda _: "a number leaves its range"),
    (r"invalid regular expression: (.*)", lambda match: f"this is no regular expression: {match[1]}"),
    (
        r"regular expression has more than one capturing group",
        lambda _: "a pattern has at most one group here; `(?: )` groups without capturing",
    ),
    (r"cannot convert string to (\w+)|Type conversion error", lambda _: "a string cannot be converted"),
    (r"String to Timestamp", lambda _: "a time is written `2026-01-31T00:00:00Z`"),
    (
        r"String to Duration|[Dd]uration",
        lambda _: "a span is written `90s` or `1h30m`",
    ),
    (r"Invalid timezone", lambda _: "a time zone is written `Europe/Berlin` or `+02:00`"),
    (r"Iteration budget exceeded", lambda _: "it takes more than 10 000 steps"),
    (r"optional\.none\(\) dereference", lambda _: "an optional value is missing; use `orValue( )`"),
    (r"invalid base64", lambda _: "this is no base64"),
    (r"SELECT to non-message|non-message type|no_such_field|Field", lambda _: "a value has no such field"),
    (r"sort\(\)", lambda _: "`sort` needs items of one kind"),
    (r"greater than <string>.size|<pos>|<start>", lambda _: "an index is beyond the end of a string"),
    (r"slice\(", lambda _: "`slice` needs a start and an end in order, not negative"),
    (r"clause|format", lambda _: "`format` does not fit its values"),
)


@cache
def _error_type() -> Any:
    return cel().Type.ERROR


def outcome(value: Any) -> Any:
    """The plain value of an evaluation. Raises `ExpressionError`."""
    if value.type() == _error_type():
        raise ExpressionError(sentence(str(value.value())))
    try:
        return plain(value.plain_value())
    except (TypeError, SystemError):  # what the runtime raises depends on how deep the value stands
        raise ExpressionError("an optional value cannot be a result; use `orValue( )`") from None
    except RecursionError:
        raise ExpressionError("the result is nested too deeply") from None


def sentence(error: str) -> str:
    """A failure of CEL's runtime in our words. A sentence of our own functions stays as it is."""
    _, own, said = error.partition(SAID)
    if own:
        return said.removesuffix(" [OUT_OF_RANGE]")
    for pattern, tell in SENTENCES:
        match = re.search(pattern, error)
        if match is not None:
            return tell(match)
    return "it cannot be evaluated with these values"
