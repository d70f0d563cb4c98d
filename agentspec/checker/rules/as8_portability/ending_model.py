"""AS814 model that its provider ends."""

from collections.abc import Iterator

from agentspec.checker.questions.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import last_day, successor
from agentspec.text.diagnostic import Diagnostic


class EndingModel(Rule):
    """The provider has named the last day of this model.

    Why: from then on every request is refused. The note does not ask what day it is, so that a check of the same file
    says the same on every day.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-4o}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini}
    ```

    Fix: take a model that stays; where the provider names one, the finding says which.
    """

    code = "AS814"
    title = "model that its provider ends"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for _, provider, model, is_own_server, path in asked_models(subject):
            day = None if is_own_server else last_day(provider, model)
            if day is not None:
                other = successor(provider, model)
                yield self.finding(
                    subject.span(*path),
                    f"`{provider}` serves `{model}` until {day}",
                    path=path,
                    help=f"`{provider}` names `{other}` in its place" if other else "plan for another model",
                )
