"""AS620 tool that the ceiling never lets run."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from agentspec.checker.offered import Offered
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import texts_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Sequence
from agentspec.text.diagnostic import Diagnostic, Related


class ToolBeyondCeiling(Rule):
    """A spec offers a tool that its own ceiling forbids.

    Why: the model sees the tool, and every call of it is denied.

    Bad:

    ```yaml
    name: auditor
    capability:
      ceiling: {effects: [none, read]}
      toolkits: [files.read, files.edit]
    ```

    Good:

    ```yaml
    name: auditor
    capability:
      ceiling: {effects: [none, read]}
      toolkits: [files.read]
    ```

    Fix: take the tool away, or widen the ceiling where you may.
    """

    code = "AS620"
    title = "tool that the ceiling never lets run"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        ceiling = ("capability", "ceiling")
        effects, tools = subject.at(*ceiling, "effects"), subject.at(*ceiling, "tools")
        told = {one.span.start for one in subject.errors if one.code == "AS412"}  # a lower layer's ceiling
        for one in subject.offered:
            key = None
            if isinstance(effects, Sequence) and one.effect and one.effect not in [e.value for e in texts_of(effects)]:
                key, why = "effects", f"its effect is `{one.effect}`"
            elif isinstance(tools, Sequence) and not _allowed(one, tools):
                key, why = "tools", "its name is not among the tools"
            if key is not None and one.span.start not in told:
                told.add(one.span.start)
                yield self.finding(
                    one.span,
                    f"`{one.name}` can never be called: {why}",
                    path=one.path,
                    help="take it away, or widen the ceiling",
                    related=(Related(subject.key(*ceiling, key), "the ceiling stands here"),),
                )


def _allowed(one: Offered, tools: Sequence) -> bool:
    return any(fnmatchcase(one.name, str(pattern.value)) for pattern in texts_of(tools))
