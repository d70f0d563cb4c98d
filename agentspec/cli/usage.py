"""usage: a command line that can't be understood, and how to say so."""

from __future__ import annotations

import sys

import click


class Usage(click.UsageError):
    """`message` is the sentence, `help` the way out."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in `Diagnostic`
        super().__init__(message)
        self.help = help


def complain(message: str, way_out: str | None = None) -> None:
    """Say on stderr what went wrong and, where there is one, the way out."""
    print(f"agentspec: {message}", file=sys.stderr)
    if way_out:
        print(f"  {way_out}", file=sys.stderr)
