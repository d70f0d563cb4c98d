"""AS902 key that is not yet in effect."""

from collections.abc import Iterator

from agentspec.checker.pending import listed, pending_keys
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import dotted
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.source import Span

WRONG_TYPE = "AS201"


class NotInEffect(Rule):
    """A key is part of the language and is checked, but nothing acts on it yet.

    Why: this version accepts the whole language; a run behaves as if the key were not there.
    `agentspec explain pending` lists all such keys.

    Bad:

    ```yaml
    name: helper
    observability:
      otel: true
    ```

    Good:

    ```yaml
    name: helper
    context:
      system: You help.
    ```

    Fix: nothing needs to be done; a later version acts on the key.
    """

    code = "AS902"
    title = "key that is not yet in effect"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        inherited: list[Span] = []
        misplaced = {one.path for one in subject.errors if one.code == WRONG_TYPE}  # where nothing is accepted
        for key in pending_keys(subject):
            if misplaced and any(dotted(key.path[:end]) in misplaced for end in range(1, len(key.path) + 1)):
                continue
            if key.is_inherited:
                inherited.append(key.span)
            else:
                yield self.finding(key.span, f"`{key.span.text}` is accepted, but not yet in effect", path=key.path)
        if inherited:
            message = f"what this extends sets keys that are not yet in effect: {listed(inherited)}"
            yield self.finding(subject.span("extends"), message, path=("extends",))
        for path, _ in subject.items("observability", "events"):
            if subject.text(*path) == "otel":
                yield self.finding(subject.span(*path), "`otel` is accepted, but not yet in effect", path=path)
