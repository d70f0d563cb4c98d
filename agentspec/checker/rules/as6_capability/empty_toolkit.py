"""AS637 toolkit of which no tool is left."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.toolkits import TOOLKITS
from agentspec.text.diagnostic import Diagnostic


class EmptyToolkit(Rule):
    """The options of a toolkit disable every tool that it has.

    Why: it offers nothing, and reads as if it did.

    Bad:

    ```yaml
    name: keeper
    capability:
      toolkits:
        - todo
        - scratch: {disabled: [scratch_write, scratch_read, scratch_delete]}
    ```

    Good:

    ```yaml
    name: keeper
    capability:
      toolkits:
        - todo
        - scratch: {disabled: [scratch_delete]}
    ```

    Fix: take the toolkit away, or disable fewer of its tools.
    """

    code = "AS637"
    title = "toolkit of which no tool is left"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        left = {one.path for one in subject.offered}
        for toolkit in subject.toolkits:
            is_known = bool(TOOLKITS.get(toolkit.name)) and subject.is_sound(*toolkit.path)
            if is_known and toolkit.options is not None and toolkit.path not in left:
                message = f"no tool of `{toolkit.name}` is left"
                yield self.finding(toolkit.span, message, path=toolkit.path, help="take it away, or disable fewer")
