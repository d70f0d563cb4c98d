"""AS608 shell where a command would do."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, texts_of
from agentspec.text.diagnostic import Diagnostic

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "cmd.exe", "powershell", "pwsh"))
RUNS_TEXT = ("-c", "/c", "-Command", "-command")


def program(element: str) -> str:
    """The name of a program without its folder: `/bin/sh` is `sh`."""
    return element.replace("\\", "/").rpartition("/")[2]


class ShellCommand(Rule):
    """A tool starts a shell to run a command line.

    Why: `run` starts a program with its arguments as they are, without a shell, so that nothing in an argument can
    become a second command. A shell gives that up. Where an argument of the model stands in the shell's text, the
    model can run anything.

    Bad:

    ```yaml
    name: counter
    capability:
      tools:
        count_lines:
          description: Counts the lines of a file
          parameters: {path: string}
          run: [sh, -c, "wc -l ${args.path}"]
    ```

    Good:

    ```yaml
    name: counter
    capability:
      tools:
        count_lines:
          description: Counts the lines of a file
          parameters: {path: string}
          run: [wc, -l, "${args.path}"]
    ```

    Fix: name the program and its arguments one by one; put a pipeline into a script of its own.
    """

    code = "AS608"
    title = "shell where a command would do"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools:
            argv = texts_of(tool.body.get("run"))
            words = [str(element.value) for element in argv]
            if len(words) < 3 or program(words[0]) not in SHELLS or not _runs_text(words[1]):
                continue
            does = "gives arguments of the model to" if any("${args." in word for word in words[2:]) else "starts"
            yield self.finding(
                argv[0].span,
                f"tool `{tool.name}` {does} the shell `{words[0]}`, which runs whatever its text says",
                path=(*tool.path, "run", 0),
                help='name the program and its arguments one by one: `run: [wc, -l, "${args.path}"]`',
            )


def _runs_text(option: str) -> bool:
    # `-lc` and `-ec` are `-c` with other switches.
    return option in RUNS_TEXT or (option.startswith("-") and not option.startswith("--") and option.endswith("c"))
