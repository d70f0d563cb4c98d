"""AS608 shell where a command would do."""

import re
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import texts_of
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "cmd.exe", "powershell", "pwsh"))
JOINING = frozenset(("cmd", "cmd.exe", "powershell", "pwsh"))  # they run all elements as one text
TAKING = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))  # options with a value behind them
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

    Fix: name the program and its arguments one by one; put a pipeline into a script of its own. Where a shell is
    needed, its text is fixed and arguments follow it: `[sh, -c, 'wc -l "$1" | sort', sh, "${args.path}"]`.
    """

    code = "AS608"
    title = "shell where a command would do"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for tool in subject.tools_with("run"):
            argv = texts_of(tool.body.get("run"))
            words = [str(element.value) for element in argv]
            texts = shell_texts(words)
            has_arguments = any("${args." in word for word in words[1:])
            if not texts or (has_arguments and not any(map(_is_open, texts))):
                continue  # `sh -c 'wc -l "$1"' sh "${args.path}"`: what the shell is given as `$1` stays one argument
            does = "gives arguments of the model to" if has_arguments else "starts"
            yield self.finding(
                argv[0].span,
                f"tool `{tool.name}` {does} the shell `{words[0]}`, which runs whatever its text says",
                path=(*tool.path, "run", 0),
                help='name the program and its arguments one by one: `run: [wc, -l, "${args.path}"]`',
            )


def shell_texts(words: list[str]) -> list[str]:
    """What a shell that is started so runs as its text; nothing where it is no shell, or runs a file.

    Of POSIX shells that is one element, those behind it are `$0`, `$1`, …; other shells take all that follows.
    """
    name = program(words[0]) if words else ""
    if name not in SHELLS:
        return []
    for at, word in enumerate(words[1:], 1):
        if _runs_text(word):
            return words[at + 1 :] if name in JOINING else words[at + 1 : at + 2]
        if not word.startswith(("-", "+", "/")) and words[at - 1] not in TAKING:
            return []  # a script, with its arguments
    return []


def _is_open(text: str) -> bool:
    """Whether the text of a shell runs what the model says: it stands in it, or the text runs its own arguments."""
    return "${args." in text or re.search(r"(?:^|[;&|(\s])(?:eval|sh|bash|source|\.|xargs|exec)\s", text) is not None


def _runs_text(option: str) -> bool:
    # `-lc` and `-ec` are `-c` with other switches.
    return option in RUNS_TEXT or (option.startswith("-") and not option.startswith("--") and option.endswith("c"))
