"""AS820 model of another provider."""

from collections.abc import Iterator

from agentspec.checker.questions.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import is_known, owner_of
from agentspec.text.diagnostic import Diagnostic


class ForeignModel(Rule):
    """The model is one of another provider.

    Why: the provider does not have it, and refuses the first request. A gateway that has models of several providers
    is a server of its own (`base_url`), of which nothing is said.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: claude-opus-5}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: anthropic, model: claude-opus-5}
    ```

    Fix: name the provider that has the model, or a model of this provider.
    """

    code = "AS820"
    title = "model of another provider"
    severity = "warning"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for place, provider, model, is_own_server, path in asked_models(subject):
            owner = None if is_own_server or is_known(provider, model) else owner_of(model, provider)
            if owner is not None and subject.is_own(subject.span(*path)):
                message = f"`{model}` is a model of `{owner}`, and `{provider}` does not have it"
                help_text = f"write `{owner}:{model}`" if path == place else f"write `provider: {owner}`"
                yield self.finding(subject.span(*path), message, path=path, help=help_text)
