"""AS613 path pattern that matches nothing."""

import os.path
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_there

LISTS = (
    ("capability", "approval", "rules"),
    ("capability", "permissions", "allow"),
    ("capability", "permissions", "deny"),
)
WILD = r"[*?\[{]"


class MissingPath(Rule):
    """A pattern of paths begins with a folder that isn't there, or leads out of the project.

    Why: the rule looks like a safeguard and never acts, or allows what stays refused: outside the project only what
    `approval.external_roots` names can be touched; or no file of those that the work is about is there. Patterns count
    from the project folder.

    Bad:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {paths: ["no_such_folder/**"], decision: deny}
    ```

    Good:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {paths: ["*.lock"], decision: deny}
    ```

    Fix: correct the pattern, or take the rule away.
    """

    code = "AS613"
    title = "path pattern that matches nothing"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        roots = (".", *subject.words("capability", "approval", "external_roots"))
        granted = [os.path.normpath(subject.project / root) for root in roots]
        for path, pattern in _patterns(subject):
            folder = _fixed_part(pattern)
            if folder is None or not subject.is_own(subject.span(*path)):
                continue
            place = os.path.normpath(subject.project / folder)
            is_outside = not any(FilePath(place).is_relative_to(root) for root in granted)
            if not is_outside and is_there(place):
                continue
            why = "leads out of the project" if is_outside else f"begins with `{folder}`, which isn't there"
            yield self.finding(
                subject.span(*path),
                f"`{pattern}` {why}: it matches nothing",
                path=path,
                help="list the folder under `capability.approval.external_roots`, or correct the pattern"
                if is_outside
                else "correct the pattern; it counts from the project folder",
            )


def _patterns(subject: Subject) -> Iterator[tuple[Path, str]]:
    for rules in LISTS:
        for rule, _ in subject.items(*rules):
            for at, _ in subject.items(*rule, "paths"):
                yield at, subject.text(*at) or ""
    for at, _ in subject.items("context", "working_files"):
        yield at, subject.text(*at) or ""


def _fixed_part(pattern: str) -> str | None:
    """The folder that a pattern begins with; None where it is for any folder, or for names alone."""
    if "/" not in pattern.rstrip("/") or "${" in pattern or pattern.startswith(("**", "!")):
        return None
    wild = re.search(WILD, pattern)
    fixed = pattern if wild is None else pattern[: wild.start()]
    return posixpath.dirname(fixed) or None
