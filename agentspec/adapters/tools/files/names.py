"""names: show the name of a file to a model one on each line, so that it can be read back where that is possible."""

from __future__ import annotations

import json
import re

from agentspec.core.calls.cap import encodable

_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def shown_name(path: str) -> str:
    """A path as it is; with line ends or control characters in it as a JSON string, which reads back to the same path.

    A name that is not UTF-8 can't be written in a call, and says so.

    >>> shown_name("a b.txt"), shown_name("a\\nb.txt")
    ('a b.txt', '"a\\\\nb.txt"')
    """
    text = encodable(path)
    shown = json.dumps(text) if _ODD.search(text) else text
    return shown if text == path else f"{shown}  (its name is not UTF-8, not readable)"
