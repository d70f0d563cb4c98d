"""AS804 provider without what it needs."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
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
        if subject.at("model", "options", "command") is None:
            yield self.finding(
                subject.span(*path),
                "the provider `process` needs a command to start",
                path=path,
                help="add `options: {command: [PROGRAM, ARGUMENT]}` to `model`",
            )
