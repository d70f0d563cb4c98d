"""arguments: the words of a command line against the options that a command declares.

No import beyond the standard basics: `argparse` alone would cost `check` as much time as an empty interpreter takes to
start, and its messages know no did-you-mean. Options may stand anywhere; `--` ends them; `--name=value` and
`--name value` are the same; an option with a `bare` value takes another one only after `=`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

from agentspec.text.suggest import nearest


class Usage(Exception):
    """A command line that cannot be understood. `str()` is the sentence, `help` the way out."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in `Diagnostic`
        super().__init__(message)
        self.help = help


class Option(NamedTuple):
    """One option. Without `value` it is a switch; `value` is what the help calls its argument."""

    name: str
    help: str
    value: str = ""
    choices: tuple[str, ...] = ()
    default: str | None = None
    is_repeatable: bool = False
    bare: str | None = None
    short: str = ""


class Command(NamedTuple):
    """What a command takes: `words` as the help shows them, at least `least` and at most `most` of them."""

    name: str
    summary: str
    words: str = ""
    least: int = 0
    most: int | None = None
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    details: str = ""


class Arguments(NamedTuple):
    """A command line that fits its command: the words in order, and every option by name without its dashes."""

    words: list[str]
    values: dict[str, list[str]]

    def has(self, name: str) -> bool:
        """Whether the option was given."""
        return name in self.values

    def one(self, name: str) -> str | None:
        """The value that was given last, or the option's default."""
        given = self.values.get(name)
        return given[-1] if given else None

    def all(self, name: str) -> list[str]:
        """Every value of a repeatable option, in order."""
        return self.values.get(name, [])


HELP = Option("--help", "show this help", short="-h")


def parse(command: Command, argv: Sequence[str]) -> Arguments:
    """Read the words after the command's name; raises `Usage`."""
    known = {name: option for option in (*command.options, HELP) for name in (option.name, option.short) if name}
    values: dict[str, list[str]] = {}
    words: list[str] = []
    rest = iter(argv)
    for word in rest:
        if word == "--":
            words.extend(rest)
        elif word == "-" or not word.startswith("-"):
            words.append(word)
        else:
            option, value = _option(command, known, word, rest)
            values.setdefault(option.name[2:], []).append(value)
    if "help" not in values:
        _count(command, words)
        _repeats(command, values)
        for option in command.options:
            if option.default is not None:
                values.setdefault(option.name[2:], [option.default])
    return Arguments(words, values)


def _option(command: Command, known: dict[str, Option], word: str, rest: Iterator[str]) -> tuple[Option, str]:
    name, has_value, value = word.partition("=")
    option = known.get(name)
    if option is None:
        _unknown(command, known, name)
    if not option.value:
        if has_value:
            raise Usage(f"option `{name}` takes no value")
        return option, ""
    if not has_value:
        value = option.bare if option.bare is not None else next(rest, "")
        if not value or (option.bare is None and value.startswith("--")):
            raise Usage(f"option `{name}` needs a value", f"write `{option.name} {option.value}`")
    if option.choices and value not in option.choices:
        near = nearest(value, option.choices)
        listed = ", ".join(f"`{choice}`" for choice in option.choices)
        way_out = f"did you mean `{near[0]}`?" if near else f"it takes {listed}"
        raise Usage(f"option `{name}` does not take `{value}`", way_out)
    return option, value


def _unknown(command: Command, known: dict[str, Option], name: str) -> NoReturn:
    long_names = [option.name for option in known.values()]
    near = nearest(name, long_names)
    way_out = f"did you mean `{near[0]}`?" if near else f"see `agentspec {command.name} --help`".replace("  ", " ")
    raise Usage(f"unknown option `{name}`", way_out)


def _count(command: Command, words: list[str]) -> None:
    usage = f"usage: agentspec {command.name} {command.words}".rstrip()
    if len(words) < command.least:
        missing = command.words.split()[len(words)].strip("[].")
        raise Usage(f"`agentspec {command.name}` needs {missing}", usage)
    if command.most is not None and len(words) > command.most:
        raise Usage(f"`{words[command.most]}` is one word too many", usage)


def _repeats(command: Command, values: dict[str, list[str]]) -> None:
    for option in command.options:
        given = values.get(option.name[2:], [])
        if option.value and not option.is_repeatable and len(set(given)) > 1:
            raise Usage(
                f"option `{option.name}` is given twice, with `{given[0]}` and `{given[1]}`", "keep one of them"
            )


def help_text(command: Command) -> str:
    """The page that `agentspec COMMAND --help` prints."""
    lines = [f"usage: agentspec {command.name} {command.words}".rstrip(), "", command.summary]
    if command.details:
        lines += ["", command.details.strip()]
    lines += ["", "options:"]
    for option in (*command.options, HELP):
        lines.append(f"  {_form(option)}")
        lines.append(f"      {option.help}{_choices(option)}")
    if command.examples:
        lines += ["", "examples:", *(f"  {example}" for example in command.examples)]
    return "\n".join(lines) + "\n"


def _form(option: Option) -> str:
    names = f"{option.short}, {option.name}" if option.short else option.name
    if not option.value:
        return names
    return f"{names}[={option.value}]" if option.bare is not None else f"{names} {option.value}"


def _choices(option: Option) -> str:
    if not option.choices:
        return ""
    default = f"; default {option.default}" if option.default else ""
    return f" ({', '.join(option.choices)}{default})"
