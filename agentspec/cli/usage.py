"""usage: a command line that can't be understood, and how to say so."""

from __future__ import annotations

import click


class Usage(click.UsageError):
    """`message` is the sentence, `help` the way out."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in `Diagnostic`
        super().__init__(message)
        self.help = help
