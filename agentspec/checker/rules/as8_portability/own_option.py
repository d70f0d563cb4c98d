"""AS825 option or header that the runtime sets itself."""

from collections.abc import Iterator

from agentspec.checker.questions.models import RUN, places
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.core.models.own_fields import OWN_FIELDS, OWN_HEADERS
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic


class OwnOption(Rule):
    """`model.options` sets a field of the request that comes from another key, or `headers` what HTTP itself sets.

    Why: a run would refuse to start: what the model is shown, and which model it is, is not a matter of options; and
    how long a request is and whom it is for (`host`, `content-length`, `connection`, …) is known only when it is sent.

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

    Fix: use the key that the finding names; leave the header out.
    """

    code = "AS825"
    title = "option or header that the runtime sets itself"
    severity = "error"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        run = subject.text(*RUN, "provider")
        for place in places(subject):
            yield from self._headers(subject, (*place, "headers"))
            if (subject.text(*place, "provider") or run) not in ("script", "process"):
                yield from self._options(subject, (*place, "options"))
        for tool in (each for each in subject.tools if each.kind == "http"):
            yield from self._headers(subject, (*tool.path, "http", "headers"))

    def _options(self, subject: Subject, path: Path) -> Iterator[Diagnostic]:
        for entry in subject.entries(*path):
            if entry.name in OWN_FIELDS:
                message = f"`options.{entry.name}` cannot be set here; it comes from `{OWN_FIELDS[entry.name]}`"
                yield self.finding(entry.key.span, message, path=(*path, entry.name), help="take it out")

    def _headers(self, subject: Subject, path: Path) -> Iterator[Diagnostic]:
        for entry in subject.entries(*path):
            if entry.name.lower() in OWN_HEADERS:
                message = f"the header `{entry.name}` is set by each request itself"
                yield self.finding(entry.key.span, message, path=(*path, entry.name), help="take it out")
