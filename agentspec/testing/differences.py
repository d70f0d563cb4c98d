"""differences: values as they are shown to people, and what is different between two of them, line by line."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from typing import Any

SHOWN = 400  # characters of a value in one line
IN_A_LINE = 80  # characters of two values that are read side by side
AROUND = 2  # lines that are shown before and behind what is different


def shown(value: Any) -> str:
    """A value in one line, as a document has it, cut where it is long.

    >>> shown({"kind": "tool_result", "ok": True}), shown(["look", "read"]), shown("two\\nlines")
    ('`{"kind": "tool_result", "ok": true}`', '`look`, `read`', '`two\\\\nlines`')
    """
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return listed(value)
    text = f"`{_spelled(value)}`".replace("\n", "\\n")
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…`"


def listed(names: Sequence[str]) -> str:
    """Names in one line."""
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def differences(wanted: Any, actual: Any) -> Iterator[str]:
    """The lines in which two values differ; none where they are short enough to be read side by side.

    >>> list(differences("one\\ntwo", "one\\nthree"))[3:]
    [' one', '-two', '+three']
    """
    before, after = _spelled(wanted, indent=2), _spelled(actual, indent=2)
    if isinstance(wanted, str) and isinstance(actual, str):
        is_short = "\n" not in before and "\n" not in after
    else:
        is_short = max(len(_spelled(wanted)), len(_spelled(actual))) <= IN_A_LINE
    if not is_short:
        lines = before.splitlines(), after.splitlines()
        yield from difflib.unified_diff(*lines, "expected", "got", lineterm="", n=AROUND)


def _spelled(value: Any, indent: int | None = None) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=indent, default=str)
