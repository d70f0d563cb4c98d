"""fits: whether a scalar fits a place: the branch that its shape belongs to, and the limits of that branch.

It answers yes or no; what is said about a no stands in unfit.py.
"""

from __future__ import annotations

import math

from agentspec.spec import values
from agentspec.spec.schema import MARK, Form, pattern
from agentspec.spec.schema import Node as Wanted


def fitting(value: object, allowed: Form) -> Wanted | None:
    """The branch that a scalar belongs to by its shape; of several branches for text, the one that takes it."""
    match value:
        case bool() if allowed.boolean is not None:
            return allowed.boolean
        case str() if allowed.texts:
            return _taking(value, allowed.texts)
        case int() | float() if allowed.number is not None and not isinstance(value, bool):
            return allowed.number
        case _:
            return allowed.free


def _taking(text: str, branches: list[Wanted]) -> Wanted:
    if len(branches) > 1:
        for branch in branches:
            if takes(text, branch):
                return branch
    return branches[-1]


def takes(value: object, branch: Wanted) -> bool:
    """Whether a scalar of the right shape is within the limits of its branch."""
    if "enum" in branch and value not in branch["enum"]:
        return False
    if "const" in branch and value != branch["const"]:
        return False
    if "not" in branch and value in branch["not"]["enum"]:
        return False
    match value:
        case str():
            return _takes_text(value, branch)
        case int() | float() if not isinstance(value, bool):
            return _takes_number(value, branch)
        case _:
            return True


def _takes_text(text: str, branch: Wanted) -> bool:
    if len(text) < branch.get("minLength", 0):
        return False
    if branch.get(MARK, {}).get("kind") == "regex" and not values.is_pattern(text):
        return False
    return "pattern" not in branch or pattern(branch["pattern"]).search(text) is not None


def _takes_number(number: float, branch: Wanted) -> bool:
    wanted = branch.get("type")
    if wanted == "integer" and not isinstance(number, int):
        return False
    if wanted is not None and not math.isfinite(number):
        return False
    low, high, above = branch.get("minimum"), branch.get("maximum"), branch.get("exclusiveMinimum")
    return (low is None or number >= low) and (high is None or number <= high) and (above is None or number > above)
