"""AS612 root that does not exist."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.root_outside_project import roots
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_folder, is_there


class MissingRoot(Rule):
    """A toolkit's root is not there, or is no folder.

    Why: every call of its tools would fail. Roots count from the project folder.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {root: no_such_folder_anywhere}
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {root: .}
    ```

    Fix: correct the path, or make the folder.
    """

    code = "AS612"
    title = "root that does not exist"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent":
            return
        for toolkit, key, text in roots(subject):
            root = subject.project / text
            if is_folder(root):
                continue
            yield self.finding(
                subject.span(*toolkit.path, key),
                f"`{text}` is no folder" if is_there(root) else f"there is no folder `{text}` in the project",
                path=(*toolkit.path, key),
                help="correct the path, or make the folder; it counts from the project folder",
            )
