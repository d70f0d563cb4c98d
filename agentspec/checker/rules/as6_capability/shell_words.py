"""AS639 words that only a shell understands."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.shell_command import program, shell_texts
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path, Sequence
from agentspec.text.diagnostic import Diagnostic

SERVERS: Path = ("capability", "mcp")
OPERATORS = frozenset(("|", "||", "&&", "&", ">", ">>", "<", "<<", "2>", "2>&1"))
READING = frozenset(("expr", "test", "[", "jq", "awk", "find"))  # programs to which such words mean something
VARIABLE = r"\$(?:[A-Z_][A-Z0-9_]*(?:/.*)?|\(.*\))"
LINE = r"\S* -|[^/\\]* "  # a program's name that goes on with arguments


class ShellWords(Rule):
    """A command is written as a shell would read it, and no shell reads it.

    Why: a program is started with its arguments as they are. `|` and `>` become two more arguments, `~` and `$HOME`
    stay as they are, and `ls -la` in one word is the name of a program that nobody has.

    Bad:

    ```yaml
    name: counter
    capability:
      tools:
        lines:
          description: Counts the lines of the notes
          run: [cat, notes.txt, "|", wc, -l]
    ```

    Good:

    ```yaml
    name: counter
    capability:
      tools:
        lines:
          description: Counts the lines of the notes
          run: [wc, -l, notes.txt]
    ```

    Fix: write the program and each of its arguments as a word of its own; put what needs a shell into a script.
    """

    code = "AS639"
    title = "words that only a shell understands"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path in _commands(subject):
            words = [subject.text(*at) or "" for at, _ in subject.items(*path)]
            if not words or shell_texts(words) or program(words[0]) in READING:
                continue
            for index, word in enumerate(words):
                is_filled = path[:2] == SERVERS  # there a variable is one of the environment (AS333)
                problem = None if is_filled and word.startswith("$") else _problem(words[0], word, index)
                if problem is not None:
                    message, help_text = problem
                    at = (*path, index)
                    yield self.finding(subject.span(*at), message, path=at, help=help_text)


def _commands(subject: Subject) -> Iterator[Path]:
    """Where a program is written with its arguments."""
    for tool in subject.tools:
        if tool.kind == "run":
            yield (*tool.path, "run")
    for path, _ in subject.items("execution", "verify_completion"):
        yield (*path, "command")
    for server in subject.servers:
        yield (*SERVERS, server, "command")
    for toolkit in subject.toolkits:
        for path, node in subject.items(*toolkit.path, "allow") if toolkit.name == "command" else ():
            if isinstance(node, Sequence):
                yield path
    if subject.text("model", "provider") == "process":
        yield ("model", "options", "command")


def _problem(first: str, word: str, index: int) -> tuple[str, str] | None:
    """What is wrong with a word, and the way out."""
    if index == 0:
        if "${" in word or not re.match(LINE, word):
            return None
        return f"`{word}` is the name of one program here", "write each argument as a word of its own"
    if word in OPERATORS:
        return f"`{word}` is given to `{first}` as it is: no shell reads this", "put what needs a shell into a script"
    if word == "~" or word.startswith("~/") or re.fullmatch(VARIABLE, word):
        return f"`{word}` is given to `{first}` as it is: no shell reads this", "write the path or the value itself"
    return None
