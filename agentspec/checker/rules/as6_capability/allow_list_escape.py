"""AS609 allow list with an escape."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.shell_command import SHELLS, program
from agentspec.checker.scalars import text_of, texts_of
from agentspec.checker.subject import Subject
from agentspec.core.commands.escape_table import WRAPPERS
from agentspec.core.commands.escapes import escape_of, program_name
from agentspec.syntax.tree import Scalar
from agentspec.text.diagnostic import Diagnostic

# Programs that run what their arguments say.
INTERPRETERS = SHELLS | {"python", "python3", "perl", "ruby", "node", "deno", "php", "lua", "awk", "gawk", "osascript"}


class AllowListEscape(Rule):
    """An allow list of commands names a program that can start any other one.

    Why: what matches `allow` runs without a question. An interpreter runs whatever its arguments say, so such an entry
    allows everything. What `env`, `xargs`, `timeout` and their like are to start is refused at the run, unless the
    entry is the whole command: an entry of such a name alone allows nothing.

    Bad:

    ```yaml
    name: builder
    capability:
      toolkits:
        - command: {allow: [[make], [python]]}
    ```

    Good:

    ```yaml
    name: builder
    capability:
      toolkits:
        - command: {allow: [[make], [git, status]]}
    ```

    Fix: name the programs that are really needed, with as much of their arguments as is fixed; let the rest be asked
    with `allow_else: ask`.
    """

    code = "AS609"
    title = "allow list with an escape"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for toolkit in subject.toolkits:
            if toolkit.name != "command":
                continue
            for path, node in subject.items(*toolkit.path, "allow"):
                words = (
                    [text_of(node) or ""] if isinstance(node, Scalar) else [str(each.value) for each in texts_of(node)]
                )
                if words and (problem := _problem(words)):
                    yield self.finding(
                        node.span,
                        problem,
                        path=path,
                        help="name the program that is needed, or let it be asked with `allow_else: ask`",
                    )


def _problem(words: list[str]) -> str | None:
    name = program_name(words[0])
    if name in WRAPPERS:
        alone = f"allowing `{name}` alone allows nothing: what it is to start is refused unless the entry spells it out"
        return alone if len(words) == 1 else None
    why = _why(program(words[0]).removesuffix(".exe"), words)
    return f"allowing `{' '.join(words)}` allows more than it says: {why}" if why else None


def _why(name: str, words: list[str]) -> str | None:
    # A fixed script is a program of its own; a bare interpreter, or one with `-c`, is not.
    if name in INTERPRETERS and (len(words) == 1 or words[1].startswith("-")):
        return f"`{name}` runs what its arguments say"
    return escape_of(words, 1) or None if len(words) > 1 else None
