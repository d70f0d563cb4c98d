"""AS711 prompt in a file that cannot be read."""

from collections.abc import Iterator

from agentspec.checker.questions.file_texts import text_files
from agentspec.checker.questions.looked_for import looked_for
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.errors import NotFound
from agentspec.spec.instructions import MOST, files_meant, too_long
from agentspec.syntax.read import read_text
from agentspec.syntax.tree import Path
from agentspec.syntax.within import within
from agentspec.text.diagnostic import Diagnostic

INSTRUCTIONS: Path = ("context", "instructions_files")


class UnreadablePrompt(Rule):
    """A file that the model is told of (`system`, `prompts`, `instructions_files`) isn't there or can't be read.

    Why: a run reads it before anything else, and does not start without it. The path counts from the project folder.

    Bad:

    ```yaml
    name: reader
    context:
      system: {file: no_such_prompt_anywhere.md}
    ```

    Good:

    ```yaml
    name: reader
    context:
      system: You read files and answer questions about them.
    ```

    Fix: correct the path, or make the file: UTF-8 text of at most 4 MiB; instructions of at most 64 KiB together, which
    are part of every request. Devices, pipes and files that hold secrets by their names (`.env`, `*.pem`, …) are never
    read.
    """

    code = "AS711"
    title = "prompt in a file that cannot be read"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for path, _ in text_files(subject.root):
            yield from self._unread(subject, path, subject.text(*path))
        yield from self._instructions(subject)

    def _unread(self, subject: Subject, path: Path, name: str | None) -> Iterator[Diagnostic]:
        problem = None if name is None or "${" in name else _read(subject, name)[1]
        if name is not None and problem is not None:
            span = subject.span(*path)
            yield self.finding(span, problem, path=path, help=looked_for(subject, name, span))

    def _instructions(self, subject: Subject) -> Iterator[Diagnostic]:
        """Files of instructions: each of them, and how long they are together."""
        word = subject.text(*INSTRUCTIONS)
        listed = [(path, subject.text(*path)) for path, _ in subject.items(*INSTRUCTIONS)]
        left = MOST
        for path, name in [(INSTRUCTIONS, name) for name in files_meant(word, subject.project)] if word else listed:
            yield from self._unread(subject, path, name)
            left -= len((_read(subject, name)[0] or "").encode()) if name else 0
            if name and left < 0:
                yield self.finding(subject.span(*path), too_long(name), path=path, help="shorten them")
                return


def _read(subject: Subject, name: str) -> tuple[str | None, str | None]:
    """The text of a file of the project, or why it can't be used."""
    try:
        return read_text(within(subject.project, name)), None
    except NotFound as problem:
        return None, str(problem)
