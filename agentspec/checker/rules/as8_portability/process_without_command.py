"""AS804 provider without what it needs."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Node, Sequence
from agentspec.text.diagnostic import Diagnostic


class ProcessWithoutCommand(Rule):
    """The provider `process` has no command to start.

    Why: its answers come from a program that `model.options.command` names; without one the run could not start.

    Bad:

    ```yaml
    name: helper
    model: {provider: process}
    ```

    Good:

    ```yaml
    name: helper
    model:
      provider: process
      options: {command: [./answer.py]}
    ```

    Fix: add `options: {command: [PROGRAM, ARGUMENT, …]}`.
    """

    code = "AS804"
    title = "provider without what it needs"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        path = ("model", "provider")
        if subject.kind != "agent" or subject.text(*path) != "process":
            return
        command = subject.at("model", "options", "command")
        if command is not None and not _is_argv(command):
            place = ("model", "options", "command")
            message = "`command` is a list of a program and its arguments"
            yield self.finding(subject.span(*place), message, path=place, help="write `[PROGRAM, ARGUMENT]`")
        if command is None:
            yield self.finding(
                subject.span(*path),
                "the provider `process` needs a command to start",
                path=path,
                help="add `options: {command: [PROGRAM, ARGUMENT]}` to `model`",
            )


def _is_argv(node: Node) -> bool:
    words = [text_of(item) for item in node.items] if isinstance(node, Sequence) else []
    return bool(words) and all(words)
