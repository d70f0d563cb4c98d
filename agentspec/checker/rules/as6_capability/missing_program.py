"""AS634 tool or check whose program is not there."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.missing_place import WAY_OUT, no_program
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

CHECKS = ("execution", "verify_completion")


class MissingProgram(Rule):
    """A tool, or a command that verifies the answer, starts a program of the project that is not there.

    Why: each call of the tool fails, and so does each verification. A program that is written as a path counts from
    the project folder; one without `/` is looked for on this machine by the run alone.

    Bad:

    ```yaml
    name: counter
    capability:
      tools:
        count:
          description: Counts the lines of a file
          parameters: {path: string}
          run: [scripts/no-such-program, "${args.path}"]
    ```

    Good:

    ```yaml
    name: counter
    capability:
      tools:
        count:
          description: Counts the lines of a file
          parameters: {path: string}
          run: [wc, -l, "${args.path}"]
    ```

    Fix: correct the path, write the program, or give it the right to be started (`chmod +x`).
    """

    code = "AS634"
    title = "tool or check whose program is not there"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        argvs = [(*tool.path, "run") for tool in subject.tools if tool.kind == "run"]
        argvs += [(*path, "command") for path, _ in subject.items(*CHECKS)]
        for argv in argvs:
            for path, problem in no_program(subject, (*argv, 0), subject.project):
                yield self.finding(subject.span(*path), problem, path=path, help=WAY_OUT.format(subject.project))
