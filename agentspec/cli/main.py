"""main: the program `agentspec`: finds the command, hands it its words, turns what happened into an exit code.

A command is imported only when it is asked for, so that `check` loads nothing of `run`. A user's mistake is a sentence
on stderr, never a traceback; `AGENTSPEC_DEBUG=1` shows the traceback of a bug.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Mapping, Sequence

from agentspec.cli.arguments import Command, Usage, help_text, parse
from agentspec.errors import AgentSpecError, InternalError
from agentspec.text.suggest import nearest

# What a program can rely on. A bug has a code of its own (`EX_SOFTWARE` of sysexits.h), apart from 3, "suspended".
EXIT_OK, EXIT_FINDINGS, EXIT_USAGE, EXIT_BUG, EXIT_INTERRUPT = 0, 1, 2, 70, 130

Commands = Mapping[str, tuple[str, str]]

# Every command: the module that has its `COMMAND` and `execute`, and what it does in a line.
COMMANDS: Commands = {
    "check": ("agentspec.cli.check", "find what is wrong in specs, before a run"),
    "show": ("agentspec.cli.show", "print a spec as it is after presets, inputs and defaults"),
    "explain": ("agentspec.cli.explain", "tell what a finding or a key of a spec means"),
    "schema": ("agentspec.cli.schema", "print the JSON Schema of the spec format, for editors"),
    "init": ("agentspec.cli.init", "start a project that checks and runs"),
}

# Words that people bring from other tools.
FOREIGN = {
    "lint": "check",
    "validate": "check",
    "exec": "run",
    "new": "init",
    "create": "init",
    "describe": "show",
    "inspect": "show",
    "format": "fmt",
    "list": "runs",
}


def main(argv: Sequence[str] | None = None, commands: Commands = COMMANDS) -> int:
    """Run the program; returns the exit code. The entry point of the console script."""
    _prepare(sys.stdout)
    _prepare(sys.stderr)
    try:
        code = _dispatch(list(sys.argv[1:] if argv is None else argv), commands)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`agentspec check | head`); what is still in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FINDINGS
    except KeyboardInterrupt:
        return EXIT_INTERRUPT
    return code


def _prepare(stream: object) -> None:
    # Machine output is UTF-8 whatever the locale says, and a lone surrogate of a spec must not end the program.
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _dispatch(argv: list[str], commands: Commands) -> int:
    try:
        return _command(argv, commands)
    except Usage as wrong:
        complain(str(wrong), wrong.help)
        return EXIT_USAGE
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except InternalError as bug:
        return _bug(bug)
    except AgentSpecError as failure:
        complain(str(failure))
        return EXIT_USAGE
    except Exception as bug:  # noqa: BLE001 - the last line of defence: a bug is reported, not dumped
        return _bug(bug)


def _command(argv: list[str], commands: Commands) -> int:
    if not argv or argv[0] in ("--help", "-h", "help"):
        if len(argv) > 1 and argv[0] == "help":
            return _command([argv[1], "--help"], commands)
        print(overview(commands), end="")
        return EXIT_OK if argv else EXIT_USAGE
    if argv[0] in ("--version", "-V"):
        print(f"agentspec {_version()}")
        return EXIT_OK
    name, words = argv[0], argv[1:]
    if name not in commands:
        raise Usage(f"unknown {'option' if name.startswith('-') else 'command'} `{name}`", _meant(name, commands))
    module = importlib.import_module(commands[name][0])
    command: Command = module.COMMAND
    arguments = parse(command, words)
    if arguments.has("help"):
        print(help_text(command), end="")
        return EXIT_OK
    code: int = module.execute(arguments)
    return code


def _meant(name: str, commands: Commands) -> str:
    foreign = FOREIGN.get(name)
    near = [foreign] if foreign in commands else nearest(name, commands)
    return f"did you mean `agentspec {near[0]}`?" if near else "`agentspec --help` lists the commands"


def _version() -> str:
    import importlib.metadata  # noqa: PLC0415 - reads the file system; only `--version` needs it

    try:
        return importlib.metadata.version("agentspec")
    except importlib.metadata.PackageNotFoundError:
        return "(a checkout that is not installed)"


def overview(commands: Commands = COMMANDS) -> str:
    """The page that `agentspec --help` prints."""
    width = max(len(name) for name in commands)
    lines = ["usage: agentspec COMMAND [WORDS] [OPTIONS]", "", "A declarative language for AI agents.", "", "commands:"]
    lines += [f"  {name:{width}}  {summary}" for name, (_, summary) in commands.items()]
    lines += ["", "`agentspec COMMAND --help` tells more about one of them."]
    return "\n".join(lines) + "\n"


def complain(message: str, way_out: str | None = None) -> None:
    """Say on stderr what went wrong and, where there is one, the way out."""
    print(f"agentspec: {message}", file=sys.stderr)
    if way_out:
        print(f"  {way_out}", file=sys.stderr)


def _bug(bug: Exception) -> int:
    if os.environ.get("AGENTSPEC_DEBUG"):
        raise bug
    complain(
        f"a bug in agentspec ({type(bug).__name__}: {bug}); please report it",
        "set AGENTSPEC_DEBUG=1 to see where it happened",
    )
    return EXIT_BUG
