"""AS612 root that does not exist."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.rules.as6_capability.root_outside_project import roots
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_folder, is_there

LISTS = (("ceiling", "roots"), ("approval", "external_roots"))


class MissingRoot(Rule):
    """A toolkit's root, or a folder of a ceiling or of approval, is not there, or is no folder.

    Why: every call of such tools would fail, and a limit to a folder that isn't there lets nothing through. Roots count
    from the project folder.

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
        own = [((*toolkit.path, key), text) for toolkit, key, text in roots(subject)]
        for path, text in (*own, *_listed(subject)):
            root = subject.project / text
            if is_folder(root):
                continue
            where = "" if text.startswith("/") else " in the project"
            yield self.finding(
                subject.span(*path),
                f"`{text}` is no folder" if is_there(root) else f"there is no folder `{text}`{where}",
                path=path,
                help="correct the path, or make the folder; it counts from the project folder",
            )


def _listed(subject: Subject) -> Iterator[tuple[Path, str]]:
    for place in LISTS:
        for path, _ in subject.items("capability", *place):
            text = subject.text(*path) or ""
            if text and "${" not in text and subject.is_own(subject.span(*path)):
                yield path, text
