"""engine: the CEL runtime, loaded when the first expression is compiled and never before."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any


@cache
def cel() -> Any:
    """The module `cel_expr_python.cel`: the official C++ runtime, which has no type information of its own."""
    return importlib.import_module("cel_expr_python.cel")


SAID = "agentspec says: "  # before a sentence of our own functions, so that it is found again in an error of CEL
