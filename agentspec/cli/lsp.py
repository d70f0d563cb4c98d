"""lsp: `agentspec lsp`: answer an editor, over standard input and output."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import sys

import click

from agentspec.cli.terminal.say import complain
from agentspec.errors import Unavailable

HELP = """Serve an editor by the Language Server Protocol, over standard input and output.

An editor starts it: findings as you type, completion, hover, definitions, references, rename, format and fixes, in
both spellings. Nothing of a spec is run. `docs/guide/editors.md` says how each editor is told.

\b
examples:
  agentspec lsp
"""
SELDOM = 100_000  # new objects between two looks for garbage
MISSING = "the language server needs the package `pygls`: `pip install 'agentspec[lsp]'`"


@click.command("lsp", help=HELP)
@click.option("--stdio", is_flag=True, help="As it is anyway; some editors say so.")
def command(*, stdio: bool) -> int:
    """Serve one client until it leaves."""
    del stdio
    if importlib.util.find_spec("pygls") is None:
        raise Unavailable(MISSING)
    from agentspec.lsp.server import serve  # noqa: PLC0415 - heavy and optional; this command alone needs it

    if sys.stdin.isatty():
        complain("this waits for an editor, which starts it and speaks to it", "end it with Ctrl-C")
    out = sys.stdout.buffer
    gc.freeze()  # what is imported stays; the trees of a text live as long as it does
    gc.set_threshold(SELDOM)
    with contextlib.redirect_stdout(sys.stderr):  # what anything else prints must not stand between the messages
        return serve(sys.stdin.buffer, out)
