"""say: what the program tells a person beside its output: on stderr, the sentence and then the way out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable

from agentspec.text.diagnostic import Diagnostic
from agentspec.text.secrets import hide
from agentspec.text.visible import harmless, plain_json, visible


def complain(message: str, way_out: str | None = None) -> None:
    """Say on stderr what went wrong and, where there is one, the way out."""
    print(visible(hide(f"agentspec: {message}")), file=sys.stderr)
    if way_out:
        print(visible(hide(f"  {way_out}")), file=sys.stderr)


def print_failure(
    category: str, message: str, way_out: str | None = None, diagnostics: Iterable[Diagnostic] = ()
) -> None:
    """What a program reads on stdout, in the place of a result, where nothing was started."""
    from agentspec.checker.conceal import concealed  # noqa: PLC0415 - only where something went wrong
    from agentspec.checker.formats.json import as_value  # noqa: PLC0415

    error = {"category": category, "message": hide(message), "help": way_out and hide(way_out)}
    print_json({"error": error, "diagnostics": [as_value(found) for found in concealed(diagnostics)]})


def print_json(value: object) -> None:
    """A value as JSON on stdout; a terminal is shown no character that could steer it."""
    print(plain_json(json.dumps(value, ensure_ascii=sys.stdout.isatty(), indent=2)))


def print_text(text: str) -> None:
    """A text of a model on stdout, made visible for a terminal.

    For a program it is as it was said, but for what would steer the terminal that somebody shows it on later.
    """
    print(visible(text) if sys.stdout.isatty() else harmless(text))


def has_colour() -> bool:
    """Whether standard output is a terminal that wants colours (see no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
