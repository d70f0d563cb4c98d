"""sample: of the rows of a test that prove one thing, the fast part takes the first few and the slow part all."""

from collections.abc import Iterable
from typing import Any

import pytest


def fast_first(rows: Iterable[Any], count: int = 1) -> list[Any]:
    """The rows of a test with one argument, all but the first so many of them for the slow part."""
    return [row if number < count else pytest.param(row, marks=pytest.mark.slow) for number, row in enumerate(rows)]
