"""say: what the program tells a person beside its output: on stderr, the sentence and then the way out."""

from __future__ import annotations

import os
import sys


def complain(message: str, way_out: str | None = None) -> None:
    """Say on stderr what went wrong and, where there is one, the way out."""
    print(f"agentspec: {message}", file=sys.stderr)
    if way_out:
        print(f"  {way_out}", file=sys.stderr)


def has_colour() -> bool:
    """Whether standard output is a terminal that wants colours (see no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
