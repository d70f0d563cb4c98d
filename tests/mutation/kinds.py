"""kinds: every class of mistakes that is tried."""

from __future__ import annotations

from tests.mutation.defect import Kind
from tests.mutation.expressions import EXPRESSIONS
from tests.mutation.names import NAMES
from tests.mutation.structure import STRUCTURE
from tests.mutation.text import TEXT
from tests.mutation.values import VALUES

KINDS: tuple[Kind, ...] = (*NAMES, *STRUCTURE, *VALUES, *EXPRESSIONS, *TEXT)
