"""AS525 required file that cannot be looked for, or written."""

import posixpath
from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_there, real_path
from agentspec.text.secret_names import secret_rule

CHECKS = ("execution", "verify_completion")  # whose programs may write files


class ArtifactOutOfReach(Rule):
    """A path of `require_artifacts` can't be looked for, or nothing in the spec can write it.

    Why: files are looked for below the project folder, and never those that hold secrets. Such a path counts as not
    verifiable: it holds no run up, so what it asks for is never ensured. A file that is not there, and that no tool can
    write, keeps every run from being done.

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
    capability:
      toolkits: [files.edit]
    ```

    Fix: name a file below the project folder, and offer a tool that writes it.
    """

    code = "AS525"
    title = "required file that cannot be looked for, or written"
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
            elif text and "${" not in text and not is_there(subject.project / text) and not _may_write(subject):
                message = f"`{text}` is not there, and no tool of this spec can write it"
                yield self.finding(node.span, message, path=path, help="offer one, such as `files.edit`")


def _may_write(subject: Subject) -> bool:
    """Whether some tool may write a file; unknown ones may."""
    checks = [subject.at(*path, key) for path, _ in subject.items(*CHECKS) for key in ("command", "python")]
    is_known = subject.knows_tools and not subject.open_servers and subject.at("lifecycle") is None
    if not is_known or any(check is not None for check in checks):
        return True
    return any(one.effect not in ("none", "read") for one in subject.offered)


def _why(subject: Subject, text: str) -> str | None:
    project = real_path(subject.project)
    below = text[len(project) :].lstrip("/") if text == project or text.startswith(f"{project}/") else text
    clean = posixpath.normpath(below or ".")
    if clean == ".." or clean.startswith(("/", "../")):
        return "it lies outside of the project folder"
    return "files of that name hold secrets" if secret_rule(posixpath.join(project, clean)) else None
