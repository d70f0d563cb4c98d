"""AS511 rule that never matches."""

from collections.abc import Iterator

from agentspec.checker.conditions import condition_of, is_constant, is_contradiction
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import walk
from agentspec.text.diagnostic import Diagnostic


class RuleNeverMatches(Rule):
    """A condition can never hold.

    Why: the rule looks like a safeguard and does nothing. Its condition is `false`, or two of its parts exclude each
    other.

    Bad:

    ```yaml
    name: triage
    execution:
      loop_control:
        - {when: "iteration < 2 && iteration > 5", stop: incomplete}
    ```

    Good:

    ```yaml
    name: triage
    execution:
      loop_control:
        - {when: "iteration > 2 && iteration < 5", stop: incomplete}
    ```

    Fix: correct the condition, or take the rule away.
    """

    code = "AS511"
    title = "rule that never matches"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, node in walk(subject.root):
            if not path or path[-1] != "when" or path[:2] == ("execution", "turn_end_condition"):
                continue
            text = condition_of(node)
            if text is None:
                continue
            if is_constant(text) is False:
                yield self.finding(node.span, "this rule never matches: its condition is `false`", path=path)
            elif is_contradiction(text):
                yield self.finding(
                    node.span, "this rule never matches: two parts of its condition exclude each other", path=path
                )
