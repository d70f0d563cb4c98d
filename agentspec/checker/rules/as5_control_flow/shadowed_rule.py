"""AS512 rule behind one that always matches first."""

from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of, implies, is_constant
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Node, Path, Scalar
from agentspec.text.diagnostic import Diagnostic, Related

TURN = ("message", "stop", "claim_tool", "next_options")
# The lists, and the verbs with which a rule that matches is the last one that is asked. A command that passes, and a
# function that has nothing to say, let the next rule be asked.
VIEW = ("drop", "keep", "replace")
LISTS: tuple[tuple[Path, tuple[str, ...]], ...] = (
    (("execution", "loop_control"), ("extend", "extend_to", "stop", "none")),
    (("execution", "verify_completion"), ("veto", "accept")),
    (("execution", "post_turn"), TURN),
    (("execution", "terminal"), TURN),
    (("context", "filter"), VIEW),
    (("context", "projection"), VIEW),
)

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
        for rules, deciding in LISTS:
            earlier: list[tuple[str, Node]] = []
            for path, rule in subject.items(*rules):
                node = subject.at(*path, "when")
                text = "true" if node is None else condition_of(node)
                if text is None or is_constant(text) is False or not isinstance(rule, Mapping):
                    continue
                place = rule if node is None else node
                yield from self._behind(text, place, (*path, "when") if node else path, earlier)
                if len(earlier) < COMPARED and any(rule.get(verb) is not None for verb in deciding):
                    earlier.append((text, place))

    def _behind(self, text: str, node: Node, path: Path, earlier: list[tuple[str, Node]]) -> Iterator[Diagnostic]:
        for first, place in earlier:
            if is_constant(first) is True or implies(text, first):
                yield self.finding(
                    node.span,
                    "this rule never gets its turn: "
                    + (
                        f"`{first}` matches first" if isinstance(place, Scalar) else "one without `when` always matches"
                    ),
                    path=path,
                    help="put the narrower rule first, or take one of them away",
                    related=(Related(place.span, "the rule that matches first"),),
                )
                return
