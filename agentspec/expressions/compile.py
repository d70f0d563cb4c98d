"""compile: check an expression against the place it stands in, and make it ready to run. CEL decides what is valid."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from agentspec.expressions.declare import declare
from agentspec.expressions.engine import cel
from agentspec.expressions.places import Place
from agentspec.expressions.problem import Problem
from agentspec.expressions.scope import EMPTY, Scope, names_of
from agentspec.text.suggest import nearest

FOUND = re.compile(r"^(?:INVALID_ARGUMENT: )?ERROR: <input>:(-?\d+):(-?\d+): (.*)$", re.MULTILINE)
UNKNOWN = re.compile(r"undeclared reference to '([^'.]*)([^']*)'")


@lru_cache(maxsize=256)
def environment(names: tuple[tuple[str, Any], ...]) -> Any:
    declared = declare(dict(names))
    return cel().NewEnv(declared.pool, variables=declared.variables)


def check_expression(text: str, place: Place, scope: Scope = EMPTY) -> list[Problem]:
    """All problems of an expression, with offsets into `text`. Never raises."""
    names = names_of(place, scope)
    env = environment(tuple(names.items()))
    try:
        env.compile(text)
    except (RuntimeError, TypeError) as error:
        return [problem for problem in _problems(str(error), text, names) if problem]
    return []


def _problems(error: str, text: str, names: dict[str, Any]) -> list[Problem]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found = []
    for line, column, message in FOUND.findall(error):
        unknown = UNKNOWN.match(message)
        if unknown is None or int(line) < 1:
            continue
        start = starts[int(line) - 1] + int(column) - 1
        name, rest = unknown.groups()
        start -= len(name) + len(rest.rpartition(".")[0]) if rest else 0
        if not text.startswith(name, start):
            continue
        near = nearest(name, names)
        found.append(
            Problem(
                start,
                start + len(name),
                "AS302",
                "error",
                f"unknown name `{name}`",
                f"did you mean `{near[0]}`?" if near else None,
                ((start, start + len(name), near[0]),) if near else (),
                f"rename to `{near[0]}`" if near else "",
            )
        )
    return found
