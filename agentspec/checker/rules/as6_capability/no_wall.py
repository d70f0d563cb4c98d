"""AS629 programs without a wall."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


class NoWall(Rule):
    """Programs of the model's choice or with its arguments, or commands that verify its work, run without a sandbox.

    Why: lists of allowed commands decide what is offered; most programs can be made to write or start something else,
    and a command that verifies mostly runs what the agent has written. The sandbox is the wall, and `none` takes it
    away.

    Bad:

    ```yaml
    name: builder
    capability:
      sandbox: none
      toolkits:
        - command: {allow: [[make]]}
    ```

    Good:

    ```yaml
    name: builder
    capability:
      sandbox: {network: true}
      toolkits:
        - command: {allow: [[make]]}
    ```

    Fix: leave `sandbox` out and open what is needed: `network: true`, folders in `writable`.
    """

    code = "AS629"
    title = "programs without a wall"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        path = ("capability", "sandbox")
        at = path if subject.text(*path) is not None else (*path, "mode")
        started = next(_starts(subject), None)
        if subject.kind == "agent" and subject.text(*at) == "none" and started is not None:
            yield self.finding(
                subject.span(*at),
                "what is started here can read, write and reach all that this user can",
                path=at,
                help="leave it out, and open what is needed: `network: true`, folders in `writable`",
                related=(Related(started, "programs are started here"),),
            )


def _starts(subject: Subject) -> Iterator[Span]:
    yield from (toolkit.span for toolkit in subject.toolkits if toolkit.name == "command")
    yield from (tool.key for tool in subject.tools if tool.kind == "run" and tool.parameters)
    rules = ("execution", "verify_completion")
    yield from (subject.key(*path, "command") for path, _ in subject.items(*rules) if subject.at(*path, "command"))
