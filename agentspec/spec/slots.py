"""slots: values that are nothing but one `${…}`: what they are is known only when the inputs are."""

from __future__ import annotations

import re
from typing import Final

from agentspec.syntax.tree import Scalar

INTERPOLATED: Final = r"\$\{[^${}]*\}"
OPEN_SLOT: Final = r"\$\{[^${}]*"


def is_interpolation(node: Scalar) -> bool:
    """Whether a value is one `${…}` and nothing else."""
    return isinstance(node.value, str) and re.fullmatch(INTERPOLATED, node.value) is not None


def is_open_slot(node: Scalar) -> bool:
    """Whether a value is one `${…` that nothing closes."""
    return isinstance(node.value, str) and re.fullmatch(OPEN_SLOT, node.value) is not None
