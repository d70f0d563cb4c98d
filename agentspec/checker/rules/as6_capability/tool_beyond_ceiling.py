"""AS620 tool or place that the ceiling never lets through."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from agentspec.checker.questions.offered import Offered
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import texts_of
from agentspec.checker.subject import Subject
from agentspec.compose.rights.narrow import may_meet
from agentspec.syntax.tree import Path, Sequence, dotted, plain
from agentspec.text.diagnostic import Diagnostic, Related

PLACES = ("hosts", "roots", "commands")


class ToolBeyondCeiling(Rule):
    """A spec offers a tool, or names a host, a folder or a command, that its own ceiling forbids.

    Why: the model sees the tool, and every call of it, or with it, is denied.

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
    title = "tool or place that the ceiling never lets through"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        if subject.kind != "agent" or not subject.is_whole:
            return
        ceiling: Path = ("capability", "ceiling")
        if subject.at(*ceiling) is None:
            return
        yield from self._places(subject, ceiling)
        effects, tools = subject.at(*ceiling, "effects"), subject.at(*ceiling, "tools")
        told = {one.span.start for one in subject.errors if one.code == "AS412"}  # a lower layer's ceiling
        claims = {one.path for one in subject.errors if one.code == "AS412"}
        for one in subject.offered:
            key = None
            if isinstance(effects, Sequence) and one.effect and one.effect not in [e.value for e in texts_of(effects)]:
                key, why = "effects", f"its effect is `{one.effect}`"
            elif isinstance(tools, Sequence) and not _allowed(one, tools):
                key, why = "tools", "its name is not among the tools"
            if key is not None and one.span.start not in told and dotted((*one.path, "effect")) not in claims:
                told.add(one.span.start)
                yield self.finding(
                    one.span,
                    f"`{one.name}` can never be called: {why}",
                    path=one.path,
                    help="take it away, or widen the ceiling",
                    related=(Related(subject.key(*ceiling, key), "the ceiling stands here"),),
                )

    def _places(self, subject: Subject, ceiling: Path) -> Iterator[Diagnostic]:
        """Hosts, folders and commands that have nothing in common with what the ceiling lists."""
        told = {one.span for one in subject.errors if one.code == "AS412"}
        for ask in subject.asks if any(subject.at(*ceiling, key) is not None for key in PLACES) else ():
            listed = subject.at(*ceiling, ask.key) if ask.key in PLACES else None
            if not isinstance(listed, Sequence) or ask.span in told or not subject.is_own(ask.span):
                continue
            if not any(may_meet(ask.key, ask.node, outer) for outer in listed.items):
                value = plain(ask.node)
                shown = " ".join(map(str, value)) if isinstance(value, list) else value
                yield self.finding(
                    ask.span,
                    f"`{shown}` is never let through: it is not within `capability.ceiling.{ask.key}`",
                    path=ask.path,
                    help="take it away, or widen the ceiling",
                    related=(Related(subject.key(*ceiling, ask.key), "the ceiling stands here"),),
                )


def _allowed(one: Offered, tools: Sequence) -> bool:
    return any(fnmatchcase(one.name, str(pattern.value)) for pattern in texts_of(tools))
