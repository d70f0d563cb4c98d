"""AS825 option that the runtime sets itself."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.core.own_fields import OWN_FIELDS
from agentspec.text.diagnostic import Diagnostic


class OwnOption(Rule):
    """`model.options` sets a field of the request that comes from another key of the spec.

    Why: a run would refuse to start: what the model is shown, and which model it is, is not a matter of options.

    Bad:

    ```yaml
    name: helper
    model:
      provider: openai
      model: gpt-5.4-mini
      options: {stream: false}
    ```

    Good:

    ```yaml
    name: helper
    model:
      provider: openai
      model: gpt-5.4-mini
      stream: false
    ```

    Fix: use the key that the finding names.
    """

    code = "AS825"
    title = "option that the runtime sets itself"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.text("model", "provider") in ("script", "process"):
            return
        for entry in subject.entries("model", "options"):
            place = OWN_FIELDS.get(entry.name)
            if place is not None:
                path = ("model", "options", entry.name)
                message = f"`options.{entry.name}` cannot be set here; it comes from `{place}`"
                yield self.finding(entry.key.span, message, path=path, help="take it out")
