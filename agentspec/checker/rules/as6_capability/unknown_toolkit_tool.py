"""AS603 tool that its toolkit does not have."""

from collections.abc import Iterator

from agentspec.checker.meant import rename, way_out
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject, texts_of
from agentspec.checker.tool_names import GIT_MUTATIONS, TOOLKITS
from agentspec.syntax.tree import Path, Scalar
from agentspec.text.diagnostic import Diagnostic


class UnknownToolkitTool(Rule):
    """A toolkit's options name a tool that the toolkit doesn't have.

    Why: `enabled`, `disabled`, `names` and `descriptions` are about the toolkit's own tools, by their first names; a
    name that isn't among them changes nothing.

    Bad:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {disabled: [serch_files]}
    ```

    Good:

    ```yaml
    name: reader
    capability:
      toolkits:
        - files.read: {disabled: [search_files]}
    ```

    Fix: correct the name.
    """

    code = "AS603"
    title = "tool that its toolkit does not have"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for toolkit in subject.toolkits:
            known = TOOLKITS.get(toolkit.name, {})
            if toolkit.name == "git":
                known = {**known, **GIT_MUTATIONS}
            if not known:
                continue
            for path, scalar in _named(subject, toolkit.path):
                if scalar.value not in known:
                    meant, help_text = way_out(str(scalar.value), known, f"`{toolkit.name}` has")
                    yield self.finding(
                        scalar.span,
                        f"`{toolkit.name}` has no tool `{scalar.value}`",
                        path=path,
                        help=help_text,
                        fix=rename(scalar.span, str(scalar.value), meant),
                    )


def _named(subject: Subject, toolkit: Path) -> Iterator[tuple[Path, Scalar]]:
    for key in ("enabled", "disabled"):
        for scalar in texts_of(subject.at(*toolkit, key)):
            yield (*toolkit, key), scalar
    for key in ("names", "descriptions"):
        for entry in subject.entries(*toolkit, key):
            yield (*toolkit, key, entry.name), entry.key
