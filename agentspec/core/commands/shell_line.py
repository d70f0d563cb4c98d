"""shell_line: the commands of a line for a shell, where it is plain enough to be told without running it.

Words in quotes or without, joined by `&&`, `||`, `;` and `|`. Whatever a shell would expand, redirect or read as a
word of its own makes a line that nobody can vouch for.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<space>[ \t]+) | (?P<joint>&&|\|\||;|\|) | '(?P<single>[^'\n]*)' | "(?P<double>[^"$`\\!\n]*)"
    | (?P<bare>[A-Za-z0-9_./:@%+,=^-]+)""",
    re.VERBOSE,
)
_OWN = frozenset(
    (
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function"),
        *("select", "in", "time", "coproc", "eval", "exec", "source", ".", "trap", "alias", "export", "set", "unset"),
        *("command", "builtin", "cd", "umask", "ulimit", "hash", "read", "wait", "return", "exit", "local", "readonly"),
    )
)


def commands_of(line: str) -> list[list[str]] | None:
    """The commands as lists of whole arguments; None where the line is not plain.

    >>> commands_of("make test && git log -3 | wc -l")
    [['make', 'test'], ['git', 'log', '-3'], ['wc', '-l']]
    >>> commands_of("echo $(id)") is None
    True
    """
    commands: list[list[str]] = [[]]
    at, is_open = 0, False  # whether the last word goes on: `a'b'c` is one
    while at < len(line):
        found = _TOKEN.match(line, at)
        if found is None:
            return None
        at = found.end()
        if found["space"] is not None:
            is_open = False
        elif found["joint"] is not None:
            commands.append([])
            is_open = False
        else:
            text = next(part for part in (found["single"], found["double"], found["bare"]) if part is not None)
            if is_open:
                commands[-1][-1] += text
            else:
                commands[-1].append(text)
            is_open = True
    return commands if all(_is_plain(command) for command in commands) else None


def _is_plain(command: list[str]) -> bool:
    """Whether it begins with the name of a program, and not with a word of the shell's own or `NAME=value`."""
    return bool(command) and bool(command[0]) and "=" not in command[0] and command[0] not in _OWN
