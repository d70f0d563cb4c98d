"""main: the program `agentspec`: runs a command line and turns what happened into an exit code.

A user's mistake is a sentence on stderr, never a traceback; `AGENTSPEC_DEBUG=1` shows the traceback of a bug.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence

from agentspec.cli.commands import COMMANDS, EXIT_BUG, EXIT_FINDINGS, EXIT_INTERRUPT, EXIT_USAGE, Commands
from agentspec.cli.terminal.say import complain, print_failure
from agentspec.cli.terminal.stopping import end_on_signals
from agentspec.cli.terminal.streams import take_streams
from agentspec.errors import AgentSpecError, InternalError, SpecInvalid


def main(argv: Sequence[str] | None = None, commands: Commands = COMMANDS) -> int:
    """Run the program; returns the exit code. The entry point of the console script.

    With `argv` it is called from inside another program, whose signals and streams it leaves as they are.
    """
    if argv is None:
        return _as_program(commands)
    _prepare(sys.stdout)
    _prepare(sys.stderr)
    return _dispatch(list(argv), commands)


def _as_program(commands: Commands) -> int:
    end_on_signals()
    out = take_streams()
    code = _dispatch(sys.argv[1:], commands)
    sys.stdout.flush()
    if out.reason:
        complain(f"standard output can't be written: {out.reason}")
    return code or EXIT_FINDINGS if out.reason else code


def _prepare(stream: object) -> None:
    # Machine output is UTF-8 whatever the locale says, and a lone surrogate of a spec must not end the program.
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _dispatch(argv: list[str], commands: Commands) -> int:
    try:
        return _run(argv, commands)
    except SpecInvalid as invalid:
        _show_findings(invalid)
        _print_failure(invalid, argv)
    except InternalError as bug:
        return _bug(bug)
    except AgentSpecError as failure:
        complain(str(failure))
        _print_failure(failure, argv)
    except KeyboardInterrupt:
        return EXIT_INTERRUPT
    except Exception as bug:  # noqa: BLE001 - the last line of defence: a bug is reported, not dumped
        if _is_nowhere():
            complain("the working directory does not exist any more", "change to another one")
            return EXIT_USAGE
        return _bug(bug)
    return EXIT_USAGE


def _run(argv: list[str], commands: Commands) -> int:
    if argv[:1] == ["check"] and commands is COMMANDS:
        from agentspec.cli.checking import perform, read_plain  # noqa: PLC0415 - a command imports only what it needs

        request = read_plain(argv[1:])
        if request is not None:
            return perform(request)
    from agentspec.cli.program import dispatch  # noqa: PLC0415 - click is slow to import; a plain check goes without

    return dispatch(argv, commands)


def _show_findings(invalid: SpecInvalid) -> None:
    """A spec that does not check is shown as `check` shows it."""
    from agentspec.checker.conceal import concealed  # noqa: PLC0415 - only where there is something to show
    from agentspec.checker.report import show_names  # noqa: PLC0415
    from agentspec.text.render import render  # noqa: PLC0415

    complain(invalid.message)
    show_names(list(invalid.diagnostics))
    if invalid.diagnostics:
        print("\n\n".join(map(render, concealed(invalid.diagnostics))), file=sys.stderr)


def _print_failure(failure: AgentSpecError, argv: list[str]) -> None:
    if "--json" in argv:
        category = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(failure).__name__).lower()
        message = failure.message if isinstance(failure, SpecInvalid) else str(failure)
        print_failure(category, message, diagnostics=getattr(failure, "diagnostics", ()))


def _is_nowhere() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - only whether there is one
    except OSError:
        return True
    return False


def _bug(bug: Exception) -> int:
    if os.environ.get("AGENTSPEC_DEBUG"):
        raise bug
    complain(
        f"a bug in agentspec ({type(bug).__name__}: {bug}); please report it",
        "set AGENTSPEC_DEBUG=1 to see where it happened",
    )
    return EXIT_BUG
