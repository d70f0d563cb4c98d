"""program: every command line, read by click. A command is imported only when it is asked for."""

from __future__ import annotations

import importlib

import click

from agentspec.cli.commands import EXIT_INTERRUPT, EXIT_OK, EXIT_USAGE, FOREIGN, LATER, Commands
from agentspec.cli.misread import misread
from agentspec.cli.terminal.say import complain, print_failure
from agentspec.cli.usage import Usage
from agentspec.syntax.absent import SPELLINGS
from agentspec.text.suggest import nearest


class Program(click.Group):
    """The commands of a table, each imported when it is asked for."""

    def __init__(self, commands: Commands) -> None:
        settings = {"help_option_names": ["--help", "-h"], "max_content_width": 100}
        version = click.Option(
            ["--version", "-V"], is_flag=True, help="Print the version."
        )  # read before click is asked
        about = "A declarative language for AI agents."
        super().__init__("agentspec", help=about, context_settings=settings, params=[version])
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
            raise self._unknown(args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """The table itself: the commands need not be imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.table.items()])

    def _unknown(self, word: str) -> Usage:
        if word in LATER:
            return Usage(f"`agentspec {word}` is not there yet", "`agentspec --help` lists the commands that are")
        if word.startswith("-"):
            listed = (
                "options stand behind their command: `agentspec run SPEC --json`; `agentspec --help` lists them all"
            )
            return Usage(f"unknown option `{word}`", listed)
        if word.endswith(SPELLINGS):
            return Usage(f"unknown command `{word}`", f"did you mean `agentspec run {word}`, or `check` or `show`?")
        return Usage(f"unknown command `{word}`", self._meant(word))

    def _meant(self, name: str) -> str:
        foreign = FOREIGN.get(name)
        near = [foreign] if foreign in self.table else nearest(name, self.table)
        return f"did you mean `agentspec {near[0]}`?" if near else "`agentspec --help` lists the commands"


def dispatch(argv: list[str], commands: Commands) -> int:
    """Run the command of a command line; what cannot be understood is told with the way out."""
    try:
        return _command(argv, commands)
    except click.UsageError as wrong:
        message, way_out = misread(wrong)
    except click.Abort:
        return EXIT_INTERRUPT
    complain(message, way_out)
    if "--json" in argv:
        print_failure("usage", message, way_out)
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


def _version() -> str:
    import importlib.metadata  # noqa: PLC0415 - reads the file system; only `--version` needs it

    try:
        return importlib.metadata.version("agentspec")
    except importlib.metadata.PackageNotFoundError:
        return "(a checkout that is not installed)"
