"""AS426 default does not fit its type."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.inputs import accept, declare
from agentspec.syntax.tree import Broken, Mapping, plain
from agentspec.text.diagnostic import Diagnostic


class DefaultMisfit(Rule):
    """The default of an input, or of a tool's parameter, is not of the type that it declares.

    Why: every run or call without that value would go on with a wrong one.

    Bad:

    ```yaml
    name: triage
    inputs:
      retries: {type: integer, default: often}
    context: {system: "Try ${inputs.retries} times."}
    ```

    Good:

    ```yaml
    name: triage
    inputs:
      retries: {type: integer, default: 3}
    context: {system: "Try ${inputs.retries} times."}
    ```

    Fix: correct the default or the type.
    """

    code = "AS426"
    title = "default does not fit its type"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        """Those of parameters; the defaults of inputs are checked where inputs are given their values."""
        for tool in subject.tools:
            for path, entry in tool.parameters:
                default = entry.value.get("default") if isinstance(entry.value, Mapping) else None
                if default is None or isinstance(default, Broken) or not subject.is_sound(*path):
                    continue
                problem = accept(plain(default), declare(entry.name, entry.value, entry.key.span))[1]
                if problem:
                    message = f"the default of `{entry.name}` does not fit: {problem}"
                    yield self.finding(default.span, message, path=(*path, "default"))
