"""AS816 routes without a default."""

from collections.abc import Iterator

from agentspec.checker.questions.conditions import condition_of, is_constant
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.syntax.tree import Mapping, Node
from agentspec.text.diagnostic import Diagnostic


class NoDefaultRoute(Rule):
    """Every route has a condition, and the section names no model of its own.

    Why: where no condition holds, somebody has to answer: the first route without one, or else the model of the
    section. Here that is whatever the provider has as its default, which nobody wrote down.

    Bad:

    ```yaml
    name: helper
    model:
      provider: openai
      routes:
        - {model: gpt-5.4, when: attempt > 1}
    ```

    Good:

    ```yaml
    name: helper
    model:
      provider: openai
      routes:
        - {model: gpt-5.4, when: attempt > 1}
        - {model: gpt-5.4-mini}
    ```

    Fix: add a route without `when` at the end, or name the default in `model.model`.
    """

    code = "AS816"
    title = "routes without a default"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        routes = subject.items("model", "routes")
        named = any(subject.at("model", key) is not None for key in ("model", "ladder", "options"))
        if subject.kind != "agent" or not routes or named or not subject.is_sound("model"):
            return
        path, last = routes[-1]
        when = condition_of(subject.at(*path, "when"))
        if not all(_has_rule(node) for _, node in routes) or (when is not None and is_constant(when)):
            return
        yield self.finding(
            subject.span(*path, "when") if when is not None else last.span,
            "every route has a condition: where none holds, the provider's default model answers",
            path=path,
            help="add a route without `when` at the end, or name the default in `model.model`",
        )


def _has_rule(route: Node) -> bool:
    return isinstance(route, Mapping) and any(route.get(key) is not None for key in ("when", "python"))
