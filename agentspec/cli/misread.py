"""misread: what click says of a command line, in the words of this program: the thing, and the way out."""

from __future__ import annotations

import re

import click

from agentspec.cli.usage import Usage
from agentspec.text.suggest import nearest

_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)$", re.DOTALL)
_NO_COMMAND = re.compile(r"No such command '(.*?)'", re.DOTALL)
_QUOTED = re.compile(r"'([^']*)'")
_GIVEN = re.compile(r"'?(.*?)'? is not", re.DOTALL)
_RUN_ID = re.compile(r"\d{8}-\d{6}-\w+")


def misread(wrong: click.UsageError) -> tuple[str, str | None]:
    """The sentence and the way out."""
    if isinstance(wrong, Usage):
        return wrong.message, wrong.help
    context = wrong.ctx
    if context is None:
        return _own(wrong.format_message()), None
    see = f"see `{context.command_path} --help`"
    match wrong:
        case click.NoSuchOption():
            return f"unknown option `{wrong.option_name}`", _meant(wrong.option_name, _options(context)) or see
        case click.MissingParameter() if isinstance(wrong.param, click.Argument):
            return f"`{wrong.param.make_metavar(context)}` is missing", f"{_usage(context)}; {see}"
        case click.MissingParameter() if isinstance(wrong.param, click.Option):
            return f"`{wrong.param.opts[0]} {wrong.param.make_metavar(context)}` is missing", see
        case click.BadParameter(param=click.Parameter(type=click.IntRange() as numbers)) if wrong.param is not None:
            return _no_number(wrong.message, wrong.param, numbers), see
        case click.BadParameter() if wrong.param is not None:
            return _unfit(wrong.message, wrong.param, context), see
        case _:
            return _other(wrong.format_message(), context, see)


def _options(context: click.Context) -> list[str]:
    params = context.command.get_params(context)
    return [name for param in params if isinstance(param, click.Option) for name in param.opts]


def _usage(context: click.Context) -> str:
    pieces = [piece for piece in context.command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    return " ".join(("usage:", context.command_path, *pieces))


def _meant(word: str, known: list[str]) -> str | None:
    near = nearest(word, known)
    return f"did you mean `{near[0]}`?" if near else None


def _unfit(message: str, param: click.Parameter, context: click.Context) -> str:
    name = param.opts[0] if isinstance(param, click.Option) else param.make_metavar(context)
    return f"`{name}`: {_in_backticks(message)}"


def _no_number(message: str, param: click.Parameter, numbers: click.IntRange) -> str:
    given = _GIVEN.match(message)
    assert given is not None
    return f"`{param.opts[0]}` takes a whole number from {numbers.min} to {numbers.max}, not `{given[1]}`"


def _in_backticks(message: str) -> str:
    return _QUOTED.sub(r"`\1`", message).rstrip(".")


def _other(message: str, context: click.Context, see: str) -> tuple[str, str]:
    if found := _EXTRA.match(message):
        way_out = f"a text with spaces needs quotes; {see}" if context.command.name == "run" else _usage(context)
        return f"one argument too many: `{found[1]}`", way_out
    if (found := _NO_COMMAND.match(message)) and isinstance(context.command, click.Group):
        word, words = found[1], context.command.list_commands(context)
        whole = f"{context.command_path} show {word}"
        listed = f"it has {', '.join(f'`{each}`' for each in words)}"
        way_out = f"did you mean `{whole}`?" if _RUN_ID.fullmatch(word) else _meant(word, words) or listed
        return f"`{context.command_path}` has no word `{word}`", way_out
    return _own(message), see


def _own(message: str) -> str:
    """A sentence of click's in our spelling; our own has backticks already."""
    return message if "`" in message else _in_backticks(message[:1].lower() + message[1:])
