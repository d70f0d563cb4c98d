"""AS624 rule that denies every call."""

from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of, is_constant
from agentspec.checker.rule import Rule
from agentspec.checker.scalars import text_of
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping
from agentspec.text.diagnostic import Diagnostic

MATCHERS = ("tool", "kind", "effect", "paths", "command", "hosts", "mcp", "calls_over", "when", "methods", "agent")


class DeniesEverything(Rule):
    """Every call is denied: by an approval rule without a condition, by a permission, or by default.

    Why: deny beats ask and allow, wherever the rule stands in the list. With such a rule no tool ever runs, and the
    other rules have no effect.

    Bad:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        rules:
          - {tool: write_file, decision: allow}
          - {tool: "*", decision: deny, reason: nothing else}
    ```

    Good:

    ```yaml
    name: editor
    capability:
      toolkits: [files.edit]
      approval:
        default: deny
        rules:
          - {tool: write_file, decision: allow}
    ```

    Fix: write `default: deny`, or give the rule something to match.
    """

    code = "AS624"
    title = "rule that denies every call"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        yield from self._of_rules(subject)
        for path, node in subject.items("capability", "permissions", "deny"):
            is_bare = text_of(node) is not None or (isinstance(node, Mapping) and node.names() == ["tool"])
            if is_bare and (text_of(node) or subject.text(*path, "tool")) == "*":
                yield self.finding(
                    subject.span(*path), "this denies every call of every tool", path=path, help="deny less"
                )
        default = ("capability", "approval", "default")
        allows = any(subject.text(*path, "decision") != "deny" for path, _ in subject.items(*default[:2], "rules"))
        if subject.kind == "agent" and subject.text(*default) == "deny" and subject.tool_names and not allows:
            yield self.finding(
                subject.span(*default),
                "every call is denied: no rule allows any",
                path=default,
                help="add rules with `decision: allow`",
            )

    def _of_rules(self, subject: Subject) -> Iterator[Diagnostic]:
        for path, _ in subject.items("capability", "approval", "rules"):
            if subject.text(*path, "decision") != "deny":
                continue
            given = [name for name in MATCHERS if subject.at(*path, name) is not None]
            is_open = not given or (given == ["tool"] and subject.text(*path, "tool") == "*")
            if given == ["when"]:
                is_open = is_constant(condition_of(subject.at(*path, "when")) or "") is True
            if is_open:
                yield self.finding(
                    subject.span(*path, "decision"),
                    "this rule denies every call, whatever the other rules say",
                    path=path,
                    help="write `default: deny`, or give the rule something to match",
                )
