"""AS611 root outside the project."""

import os
from collections.abc import Iterator
from pathlib import Path

from agentspec.checker.questions.offered import Toolkit
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import texts_of
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import real_path


def roots(subject: Subject) -> Iterator[tuple[Toolkit, str, str]]:
    """Each toolkit with the key and the text of its root, where the text is no template."""
    for toolkit in subject.toolkits:
        for key in ("root", "repo"):
            text = subject.text(*toolkit.path, key)
            if text and "${" not in text:
                yield toolkit, key, text


class RootOutsideProject(Rule):
    """A toolkit's root lies outside the project folder.

    Why: paths outside the project need `approval.external_roots`, always; without it every call would be denied.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {root: ..}
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {root: .}
    ```

    Fix: choose a root inside the project, or list it under `capability.approval.external_roots`.
    """

    code = "AS611"
    title = "root outside the project"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        project = subject.project
        granted = [
            _resolved(project, str(scalar.value))
            for scalar in texts_of(subject.at("capability", "approval", "external_roots"))
        ]
        for toolkit, key, text in roots(subject):
            root = _resolved(project, text)
            if any(root.is_relative_to(each) for each in (_resolved(project, "."), *granted)):
                continue
            yield self.finding(
                subject.span(*toolkit.path, key),
                f"`{text}` lies outside the project folder",
                path=(*toolkit.path, key),
                help="choose a root inside it, or list it under `capability.approval.external_roots`",
            )


def _resolved(project: Path, text: str) -> Path:
    # By name only: where a link leads is the business of the run, which opens paths without following links.
    return Path(os.path.normpath(os.path.join(real_path(project), text)))  # noqa: PTH118 - as text
