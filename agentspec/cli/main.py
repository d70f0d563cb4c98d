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

import click

from agentspec.cli.usage import Usage, complain
from agentspec.errors import AgentSpecError, InternalError, SpecInvalid
from agentspec.text.suggest import nearest

# What a program can rely on. A bug has a code of its own (`EX_SOFTWARE` of sysexits.h), apart from 3, "suspended".
EXIT_OK, EXIT_FINDINGS, EXIT_USAGE, EXIT_BUG, EXIT_INTERRUPT = 0, 1, 2, 70, 130

Commands = Mapping[str, tuple[str, str]]

# Every command: the module that has it as `command`, and what it does in a line.
COMMANDS: Commands = {
    "check": ("agentspec.cli.check", "find what is wrong in specs, before a run"),
    "show": ("agentspec.cli.show", "print a spec as it is after presets, inputs and defaults"),
    "explain": ("agentspec.cli.explain", "tell what a finding or a key of a spec means"),
    "schema": ("agentspec.cli.schema", "print the JSON Schema of the spec format, for editors"),
    "run": ("agentspec.cli.run", "run a spec on a task"),
    "resume": ("agentspec.cli.resume", "go on with an interrupted or crashed run"),
    "runs": ("agentspec.cli.runs", "list, show, export and delete runs"),
    "replay": ("agentspec.cli.replay", "derive a run from its journal again, and compare"),
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


class Program(click.Group):
    """The commands of a table, each imported when it is asked for."""

    def __init__(self, commands: Commands) -> None:
        settings = {"help_option_names": ["--help", "-h"], "max_content_width": 100}
        super().__init__("agentspec", help="A declarative language for AI agents.", context_settings=settings)
        self.table = commands

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in self.table:
            return None
        command: click.Command = importlib.import_module(self.table[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.table:
            kind = "option" if args[0].startswith("-") else "command"
            raise Usage(f"unknown {kind} `{args[0]}`", self._meant(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """The table itself: the commands need not be imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.table.items()])

    def _meant(self, name: str) -> str:
        foreign = FOREIGN.get(name)
        near = [foreign] if foreign in self.table else nearest(name, self.table)
        return f"did you mean `agentspec {near[0]}`?" if near else "`agentspec --help` lists the commands"


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
        complain(wrong.message, wrong.help)
    except click.UsageError as wrong:
        complain(wrong.format_message(), f"see `{wrong.ctx.command_path} --help`" if wrong.ctx else None)
    except click.Abort:
        return EXIT_INTERRUPT
    except SpecInvalid as invalid:
        _show_findings(invalid)
    except InternalError as bug:
        return _bug(bug)
    except AgentSpecError as failure:
        complain(str(failure))
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as bug:  # noqa: BLE001 - the last line of defence: a bug is reported, not dumped
        return _bug(bug)
    return EXIT_USAGE


def _command(argv: list[str], commands: Commands) -> int:
    if not argv:
        _command(["--help"], commands)
        return EXIT_USAGE
    if argv[0] == "help":
        return _command([*argv[1:2], "--help"], commands)
    if argv[0] in ("--version", "-V"):
        print(f"agentspec {_version()}")
        return EXIT_OK
    if argv[0].startswith("-") and argv[0] not in ("--help", "-h"):
        Program(commands).resolve_command(click.Context(Program(commands)), argv)
    code = Program(commands).main(argv, prog_name="agentspec", standalone_mode=False)
    return code if isinstance(code, int) else EXIT_OK


def _show_findings(invalid: SpecInvalid) -> None:
    """A spec that does not check is shown as `check` shows it."""
    from agentspec.text.render import render  # noqa: PLC0415 - only where there is something to show

    complain(str(invalid))
    for found in invalid.diagnostics:
        print(render(found), file=sys.stderr)


def _version() -> str:
    import importlib.metadata  # noqa: PLC0415 - reads the file system; only `--version` needs it

    try:
        return importlib.metadata.version("agentspec")
    except importlib.metadata.PackageNotFoundError:
        return "(a checkout that is not installed)"


def _bug(bug: Exception) -> int:
    if os.environ.get("AGENTSPEC_DEBUG"):
        raise bug
    complain(
        f"a bug in agentspec ({type(bug).__name__}: {bug}); please report it",
        "set AGENTSPEC_DEBUG=1 to see where it happened",
    )
    return EXIT_BUG
