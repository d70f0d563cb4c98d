"""AS109 names that differ only in case."""

from collections.abc import Iterator

from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.text.diagnostic import Diagnostic, Related
from agentspec.text.source import Span


class NamesAlike(Rule):
    """Two tools, or two inputs, have names that differ only in the case of their letters.

    Why: people and models take one for the other, and nothing tells them that they did.

    Bad:

    ```yaml
    name: adder
    capability:
      tools:
        add: {description: Adds one, parameters: {n: number}, expr: args.n + 1.0}
        Add: {description: Adds two, parameters: {n: number}, expr: args.n + 2.0}
    ```

    Good:

    ```yaml
    name: adder
    capability:
      tools:
        add_one: {description: Adds one, parameters: {n: number}, expr: args.n + 1.0}
        add_two: {description: Adds two, parameters: {n: number}, expr: args.n + 2.0}
    ```

    Fix: rename one of them.
    """

    code = "AS109"
    title = "names that differ only in case"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        yield from self._alike([(one.name, one.span) for one in subject.offered], ("capability",))
        yield from self._alike([(entry.name, entry.key.span) for entry in subject.entries("inputs")], ("inputs",))

    def _alike(self, names: list[tuple[str, Span]], path: tuple[str, ...]) -> Iterator[Diagnostic]:
        first: dict[str, tuple[str, Span]] = {}
        for name, span in names:
            other, place = first.setdefault(name.lower(), (name, span))
            if other != name:
                message = f"`{name}` and `{other}` differ only in case"
                related = (Related(place, "the other one"),)
                yield self.finding(span, message, path=path, help="rename one of them", related=related)
