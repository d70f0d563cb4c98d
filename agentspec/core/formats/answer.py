"""answer: the JSON value that a final answer is, whatever a model has written around it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentspec.core.formats.objects import DECODER, find_objects

_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)


class ValueRead(NamedTuple):
    """The value of an answer, or in words why it has none."""

    value: Any = None
    problem: str = ""


def read_value(text: str) -> ValueRead:
    """The one JSON value of a text: all of it, the one fenced block in it, or the one object in its prose.

    >>> read_value('Here it is: {"n": 1}. Good luck!').value
    {'n': 1}
    >>> read_value('{"n": 1} or {"n": 2}').problem
    'the answer holds 2 JSON objects, and it is not said which one counts'
    """
    body = text.strip()
    if not body:
        return ValueRead(problem="the answer is empty")
    fences = _FENCE.findall(body)
    for candidate in (body, *fences[:1]) if len(fences) == 1 else (body,):
        try:
            value, end = DECODER.raw_decode(candidate.strip())
        except (ValueError, RecursionError):
            continue
        if end == len(candidate.strip()):
            return ValueRead(value)
    found = find_objects(body)
    if found.cut is not None:
        return ValueRead(problem="the JSON of the answer is cut off")
    if len(found.objects) == 1:
        return ValueRead(found.objects[0].value)
    if found.objects:
        count = len(found.objects)
        return ValueRead(problem=f"the answer holds {count} JSON objects, and it is not said which one counts")
    return ValueRead(problem="the answer is no JSON")
