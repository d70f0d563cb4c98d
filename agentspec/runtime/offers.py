"""offers: what a tool offers beside `call`, asked once a class.

`isinstance` looks at every method of a protocol each time, and every run asks for each of its tools.
"""

from __future__ import annotations

from functools import cache
from typing import TypeGuard

from agentspec.ports import Instant, Restorable, Tool


def is_instant(tool: Tool) -> TypeGuard[Instant]:
    """Whether it only computes."""
    return _offers(type(tool), Instant)


def is_restorable(tool: Tool) -> TypeGuard[Restorable]:
    """Whether it remembers its calls."""
    return _offers(type(tool), Restorable)


@cache
def _offers(kind: type[Tool], port: type) -> bool:
    return issubclass(kind, port)
