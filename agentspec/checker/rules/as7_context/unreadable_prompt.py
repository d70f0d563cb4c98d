"""AS711 prompt in a file that cannot be read."""

from collections.abc import Iterator

from agentspec.checker.looked_for import looked_for
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.errors import NotFound
from agentspec.syntax.read import read_text
from agentspec.syntax.tree import Path
from agentspec.syntax.within import within
from agentspec.text.diagnostic import Diagnostic

SYSTEM: Path = ("context", "system", "file")
PROMPTS: Path = ("context", "prompts")
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

    Fix: correct the path, or make the file: UTF-8 text of at most 4 MiB. Devices, pipes and files that hold secrets by
    their names (`.env`, `*.pem`, …) are never read.
    """

    code = "AS711"
    title = "prompt in a file that cannot be read"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        prompts = [(*PROMPTS, entry.name, "file") for entry in subject.entries(*PROMPTS)]
        for path in (SYSTEM, *prompts, *(path for path, _ in subject.items(*INSTRUCTIONS))):
            yield from self._file(subject, path)

    def _file(self, subject: Subject, path: Path) -> Iterator[Diagnostic]:
        name = subject.text(*path)
        if name is None or "${" in name:
            return
        try:
            read_text(within(subject.project, name))
        except NotFound as problem:
            span = subject.span(*path)
            yield self.finding(span, str(problem), path=path, help=looked_for(subject, name, span))
