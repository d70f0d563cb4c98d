"""AS722 image that cannot be shown."""

from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.questions.looked_for import looked_for
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.errors import NotFound
from agentspec.syntax.plain_file import head_of
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.images import why_not_shown
from agentspec.text.paths import is_file, size_of


class MissingImage(Rule):
    """A seeded turn shows an image from a file that does not exist, or that holds no image which models are shown.

    Why: a run could not start. The file is looked for from the folder of the project: that of `agentspec.toml`, else
    that of the spec.

    Bad:

    ```yaml
    name: helper
    context:
      history:
        - {role: user, content: What is on it?, images: [charts/may.png]}
        - {role: assistant, content: Two lines that cross.}
    ```

    Good:

    ```yaml
    name: helper
    context:
      history:
        - {role: user, content: What may be on it?}
        - {role: assistant, content: Two lines that cross.}
    ```

    Fix: correct the path, or write the file: a PNG, JPEG, GIF or WebP image of at most 20 MiB.
    """

    code = "AS722"
    title = "image that cannot be shown"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for turn, _ in subject.items("context", "history") if subject.kind == "agent" else ():
            for path, _ in subject.items(*turn, "images"):
                name = subject.text(*path)
                problem = None if name is None or "${" in name else _problem(subject.project, name)
                if name is not None and problem is not None:
                    span = subject.span(*path)
                    yield self.finding(span, problem, path=path, help=looked_for(subject, name, span))


def _problem(project: FilePath, name: str) -> str | None:
    if not is_file(project / name):
        return f"there is no image `{name}`"
    try:
        why = why_not_shown(head_of(project / name), size_of(project / name))
    except NotFound as problem:
        return str(problem)
    return None if why is None else f"`{name}` {why}"
