"""AS824 fallback to the model that failed."""

from collections.abc import Iterator

from agentspec.checker.questions.models import RUN
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.routes import routes_of
from agentspec.text.diagnostic import Diagnostic


class FallbackToItself(Rule):
    """`fallback` names only the one model that the spec has.

    Why: a fallback is tried when a model has failed for good, and never the model itself: nothing is left to try.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini, fallback: [gpt-5.4-mini]}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini, fallback: [gpt-5.4]}
    ```

    Fix: name another model, or take the fallback away.
    """

    code = "AS824"
    title = "fallback to the model that failed"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        named = list(subject.references("route"))
        if not named or not subject.is_sound(*RUN) or len(routes_of(subject.values(*RUN))) > 1:
            return
        for path, node, name in named:
            message = f"`{name}` is the only model here: where it has failed, nothing is left"
            yield self.finding(node.span, message, path=path, help="name another model")
