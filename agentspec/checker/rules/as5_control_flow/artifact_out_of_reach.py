"""AS525 required file that cannot be looked for."""

import posixpath
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import real_path
from agentspec.text.secret_names import secret_rule


class ArtifactOutOfReach(Rule):
    """A path of `require_artifacts` leads out of the project, or names a file that holds secrets.

    Why: files are looked for below the project folder, and never those that hold secrets. Such a path counts as not
    verifiable: it holds no run up, so what it asks for is never ensured.

    Bad:

    ```yaml
    name: writer
    execution:
      require_artifacts: [../report.md]
    ```

    Good:

    ```yaml
    name: writer
    execution:
      require_artifacts: [out/report.md]
    ```

    Fix: name a file below the project folder.
    """

    code = "AS525"
    title = "required file that cannot be looked for"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, node in subject.items("execution", "require_artifacts"):
            text = text_of(node)
            if text and "${" not in text and (why := _why(subject, text)):
                yield self.finding(
                    node.span,
                    f"`{text}` is never looked for: {why}",
                    path=path,
                    help="name a file below the project folder",
                )


def _why(subject: Subject, text: str) -> str | None:
    project = real_path(subject.project)
    below = text[len(project) :].lstrip("/") if text == project or text.startswith(f"{project}/") else text
    clean = posixpath.normpath(below or ".")
    if clean == ".." or clean.startswith(("/", "../")):
        return "it lies outside of the project folder"
    return "files of that name hold secrets" if secret_rule(posixpath.join(project, clean)) else None
