"""AS612 root that does not exist."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.missing_place import no_folder
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic

LISTS = (("ceiling", "roots"), ("approval", "external_roots"))


class MissingRoot(Rule):
    """A folder that a ceiling or `approval` names is not there, or is no folder.

    Why: a limit to a folder that isn't there lets nothing through, and a grant of one grants nothing. Roots count from
    the project folder.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits: [files.read]
      ceiling: {roots: [no_such_folder_anywhere]}
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits: [files.read]
      ceiling: {roots: ["."]}
    ```

    Fix: correct the path, or make the folder.
    """

    code = "AS612"
    title = "root that does not exist"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for path, text in _listed(subject):
            problem = no_folder(subject.project, text)
            if problem is not None:
                help_text = "correct the path, or make the folder; it counts from the project folder"
                yield self.finding(subject.span(*path), problem, path=path, help=help_text)


def _listed(subject: Subject) -> Iterator[tuple[Path, str]]:
    for place in LISTS:
        for path, _ in subject.items("capability", *place):
            text = subject.text(*path) or ""
            if text and "${" not in text and subject.is_own(subject.span(*path)):
                yield path, text
