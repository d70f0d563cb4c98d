"""AS631 folder that holds everything."""

import os.path
from collections.abc import Iterator
from pathlib import Path as FilePath

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic

PLACES = (("capability", "approval", "external_roots"), ("capability", "sandbox", "writable"))


class WideRoot(Rule):
    """A folder that tools or programs may touch is the whole disk, or a home folder.

    Why: what lies beside the project is somebody else's: other projects, settings of programs, what starts at the next
    login. With such a folder neither the workspace nor the sandbox keeps much from a run.

    Bad:

    ```yaml
    name: builder
    capability:
      sandbox: {writable: [/]}
      toolkits:
        - command: {allow: [[make]]}
    ```

    Good:

    ```yaml
    name: builder
    capability:
      sandbox: {writable: [/var/tmp]}
      toolkits:
        - command: {allow: [[make]]}
    ```

    Fix: name the folders that are needed.
    """

    code = "AS631"
    title = "folder that holds everything"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        home = FilePath(os.path.expanduser("~"))  # noqa: PTH111 - it may be unknown, which is no error here
        for place in PLACES:
            for path, _ in subject.items(*place):
                text = subject.text(*path) or ""
                folder = os.path.normpath(subject.project / text)
                if text and "${" not in text and home.is_relative_to(folder):
                    yield self.finding(
                        subject.span(*path),
                        f"`{text}` is {'the whole disk' if folder == '/' else 'where people keep all they have'}",
                        path=path,
                        help="name the folders that are needed",
                    )
