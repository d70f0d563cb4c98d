"""policies: every concern of a run, one file each; found by looking into this folder."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any

from agentspec.core.policy import Policy


@cache
def discover() -> tuple[type[Policy[Any]], ...]:
    """All policy classes, in the order in which they are asked. Nothing registers itself."""
    found: list[type[Policy[Any]]] = []
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        module = importlib.import_module(f"{__name__}.{path.stem}")
        found += [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Policy) and value.__module__ == module.__name__
        ]
    return tuple(sorted(found, key=lambda policy: (policy.stage, policy.number, policy.__module__)))
