"""AS722 image that is not there."""

from collections.abc import Iterator

from agentspec.checker.looked_for import looked_for
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.paths import is_file


class MissingImage(Rule):
    """A seeded turn shows an image from a file that does not exist.

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

    Fix: correct the path, or write the file: a PNG, JPEG, GIF or WebP image.
    """

    code = "AS722"
    title = "image that is not there"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for turn, _ in subject.items("context", "history") if subject.kind == "agent" else ():
            for path, _ in subject.items(*turn, "images"):
                name = subject.text(*path)
                if name is None or "${" in name or is_file(subject.project / name):
                    continue
                span = subject.span(*path)
                words = f"there is no image `{name}`"
                yield self.finding(span, words, path=path, help=looked_for(subject, name, span))
