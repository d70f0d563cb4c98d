"""AS512 rule behind one that always matches first."""

from collections.abc import Iterator

from agentspec.checker.conditions import condition_of, implies, is_constant
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Node, Path
from agentspec.text.diagnostic import Diagnostic, Related

LISTS = (("execution", "loop_control"), ("execution", "verify_completion"), ("execution", "terminal"))

COMPARED = 50  # rules of a list that the later ones are compared with


class ShadowedRule(Rule):
    """A rule stands behind one that matches whenever it would match itself.

    Why: the first rule that matches decides, so the later one never gets its turn.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - {when: progress.turns_since_progressing > 2, stop: incomplete}
        - {when: progress.turns_since_progressing > 4, stop: hopeless}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - {when: progress.turns_since_progressing > 4, stop: hopeless}
        - {when: progress.turns_since_progressing > 2, stop: incomplete}
    ```

    Fix: put the narrower rule first, or take one of the two away.
    """

    code = "AS512"
    title = "rule behind one that always matches first"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for rules in LISTS:
            earlier: list[tuple[str, Node]] = []
            for path, _ in subject.items(*rules):
                node = subject.at(*path, "when")
                text = condition_of(node)
                if text is None or node is None:
                    continue
                if is_constant(text) is not False:
                    yield from self._behind(text, node, (*path, "when"), earlier)
                    if len(earlier) < COMPARED:
                        earlier.append((text, node))

    def _behind(self, text: str, node: Node, path: Path, earlier: list[tuple[str, Node]]) -> Iterator[Diagnostic]:
        for first, place in earlier:
            if is_constant(first) is True or implies(text, first):
                yield self.finding(
                    node.span,
                    f"this rule never gets its turn: `{first}` matches first",
                    path=path,
                    help="put the narrower rule first, or take one of them away",
                    related=(Related(place.span, "the rule that matches first"),),
                )
                return
