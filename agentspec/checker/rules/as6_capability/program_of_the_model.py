"""AS627 program that the model chooses."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.allow_list_escape import INTERPRETERS
from agentspec.checker.rules.as6_capability.shell_command import SHELLS, program
from agentspec.checker.scalars import texts_of
from agentspec.checker.subject import Subject
from agentspec.core.commands.escape_table import WRAPPERS
from agentspec.text.diagnostic import Diagnostic

SLOT = "${args."
RUNS_CODE = ("-c", "-e", "-E", "-r", "-p", "--eval", "--execute", "--print", "eval")


class ProgramOfTheModel(Rule):
    """A tool starts whatever program its arguments name.

    Why: `run` starts one program, and its arguments go to that program alone. Where the program itself, or the code
    that an interpreter runs, comes from the model, the tool can do anything that the machine can.

    Bad:

    ```yaml
    name: builder
    capability:
      tools:
        build:
          description: Runs a step of the build
          parameters: {step: string}
          run: ["${args.step}", --verbose]
    ```

    Good:

    ```yaml
    name: builder
    capability:
      tools:
        build:
          description: Runs a step of the build
          parameters: {step: {enum: [compile, test]}}
          run: [make, "${args.step}"]
    ```

    Fix: write the program, and leave only its arguments to the model; or offer the toolkit `command`, whose `allow`
    says what may run.
    """

    code = "AS627"
    title = "program that the model chooses"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools_with("run"):
            argv = texts_of(tool.body.get("run"))
            words = [str(element.value) for element in argv]
            at = chosen(words)
            if at is None:
                continue
            what = "the code" if at and program(words[0]) in INTERPRETERS else "the program"
            yield self.finding(
                argv[at].span,
                f"tool `{tool.name}` lets the model choose {what} that it runs",
                path=(*tool.path, "run", at),
                help="write the program, and leave only its arguments to the model",
            )


def chosen(words: list[str]) -> int | None:
    """Which element of a command is a program, or the code of one, that holds an argument of the model."""
    name = program(words[0]) if words else ""
    if not words or SLOT in words[0]:
        return 0 if words else None
    if name in WRAPPERS:
        # Options and `NAME=value` come first; what follows them is a command of its own.
        at = next((at for at, word in enumerate(words[1:], 1) if not word.startswith("-") and "=" not in word), None)
        inner = None if at is None else chosen(words[at:])
        return None if at is None or inner is None else at + inner
    if name in INTERPRETERS - SHELLS:
        codes = (at for at, word in enumerate(words[1:], 1) if words[at - 1] in RUNS_CODE and SLOT in word)
        return next(codes, None)
    return None
