"""escapes: whether an argument lets a program do more than a prefix of its command line says.

Told from the arguments alone. What can't be told is an escape: a refusal costs a question, a miss a machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentspec.core.commands.escape_table import (
    ESCAPES,
    GIT,
    GIT_HARMLESS,
    GIT_LETTERS,
    GIT_RUNNERS,
    GIT_RUNNING_WORDS,
    GIT_TAKING,
    WRAPPERS,
    Escapes,
)

_VERSION = r"(?<=[a-z])-?[0-9][0-9.]*\Z"
_ADDRESS = r"(?:\d+|\$|/[^/\n\\]*/)"
_SED_LINES = rf"(?:{_ADDRESS}(?:,\s*{_ADDRESS})?)?\s*!?\s*[pdqQ=]\s*"
_SED_PUT = rf"(?:{_ADDRESS}(?:,\s*{_ADDRESS})?)?\s*s([/|,#:@])(?:(?!\1)[^\n])*\1(?:(?!\1)[^\n])*\1[gpI0-9]*\s*"
_SED_OPTIONS = r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|posix|sandbox|null-data|separate|debug)"


def program_name(element: str) -> str:
    """The name of a program without its folder and its version.

    >>> program_name("/usr/bin/gcc-12"), program_name("python3.11")
    ('gcc', 'python')
    """
    name = element.rpartition("/")[2].removesuffix(".exe")
    return name if name in ESCAPES or name in WRAPPERS else re.sub(_VERSION, "", name)


def escape_of(argv: Sequence[str], known: int) -> str:
    """The argument that escapes, in words, or nothing. The first `known` elements are the author's own.

    >>> escape_of(["git", "log", "--output=x"], 2)
    '`--output=x` lets `git` write or run something else'
    """
    name, more = program_name(argv[0]), argv[known:]
    if name in WRAPPERS:
        return f"`{name}` starts what its arguments name" if more else ""
    if name == "git":
        found = _of_git(argv, known)
    elif name in ("sed", "gsed"):
        found = _of_sed(more, has_script=any(not word.startswith("-") for word in argv[1:known]))
    else:
        found = _first(ESCAPES.get(name), more)
        if name in ("tar", "gtar", "bsdtar"):
            found = _first(ESCAPES["tar"], more) or _old_cluster(argv, known)
    return f"`{found}` lets `{name}` write or run something else" if found else ""


def _first(escapes: Escapes | None, elements: Sequence[str]) -> str:
    if escapes is None:
        return ""
    found = next((element for element in elements if _is_escape(escapes, element)), "")
    if found or escapes.most is None:
        return found
    operands = [element for element in elements if not element.startswith("-")]
    return operands[escapes.most] if len(operands) > escapes.most else ""


def _is_escape(escapes: Escapes, element: str) -> bool:
    name = element.partition("=")[0]
    if name in escapes.harmless:
        return False
    if element.startswith("--"):
        return any(
            word == name or (len(name) > 2 and word.startswith(name)) for word in escapes.words if word.startswith("--")
        )
    if element.startswith("-") and len(element) > 1:
        return _is_word(escapes, element, name) or any(letter in escapes.letters for letter in element[1:])
    if "=" in escapes.operands and "=" in element:
        return True
    return element in escapes.words or element.startswith(tuple(each for each in escapes.operands if each != "="))


def _is_word(escapes: Escapes, element: str, name: str) -> bool:
    """Whether it is one of the options with one dash; of one letter (`-B`), its value may follow at once."""
    return any(
        word == name or (len(word) == 2 and element.startswith(word))
        for word in escapes.words
        if not word.startswith("--")
    )


def _of_git(argv: Sequence[str], known: int) -> str:
    """git takes other options before its subcommand than after it."""
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        if at >= known and argv[at] not in GIT_HARMLESS:
            return argv[at]
        at += 2 if argv[at] in GIT_TAKING else 1
    if at >= len(argv):
        return ""
    command, more = argv[at], argv[max(at + 1, known) :]
    if command in GIT_RUNNERS and at >= known:
        return command
    running = GIT_RUNNING_WORDS.get(command, ())
    word = next((element for element in more if element in running), "")
    return word or _first(GIT._replace(letters=GIT_LETTERS.get(command, "")), more)


def _of_sed(elements: Sequence[str], *, has_script: bool) -> str:
    """A script of sed can write files and run programs: only those pass that plainly can't."""
    is_script = not has_script
    for element in elements:
        if element in ("-e", "--expression"):
            is_script = True
        elif element.startswith("-") and len(element) > 1:
            if not re.fullmatch(_SED_OPTIONS, element):
                return element
        elif is_script:
            if not (re.fullmatch(_SED_LINES, element) or re.fullmatch(_SED_PUT, element)):
                return element
            is_script = False
    return ""


def _old_cluster(argv: Sequence[str], known: int) -> str:
    """tar's first argument may be a cluster of letters without a dash, and an archive may be on another machine."""
    first = argv[1] if len(argv) > 1 and known <= 1 else ""
    if first and not first.startswith("-") and any(letter in ESCAPES["tar"].letters for letter in first):
        return first
    return next((element for element in argv[known:] if re.match(r"(?:-[a-z]*f|--file=)?[^/\s=]+:", element)), "")
