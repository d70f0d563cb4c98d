"""AS809 model that the catalogue does not have."""

from collections.abc import Iterator

from agentspec.checker.questions.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.spec.catalogue import has_models_of, is_known, names_of, owner_of
from agentspec.syntax.tree import Path
from agentspec.text.diagnostic import Diagnostic
from agentspec.text.suggest import nearest

WAY_OUT = "if it is right, `context_window` and `prices` tell what the catalogue would"


class UnlistedModel(Rule):
    """A model that the catalogue does not have among those of its provider.

    Why: its window and its prices are not known, and neither is whether it exists: a misspelt id is found by the first
    request only. Nothing is said of models on a server of your own (`base_url`), or of one whose `context_window` or
    `prices` you give.

    Bad:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mni}
    ```

    Good:

    ```yaml
    name: helper
    model: {provider: openai, model: gpt-5.4-mini}
    ```

    Fix: correct the id; or, for a model that is newer than the catalogue, write its `context_window` and `prices`.
    """

    code = "AS809"
    title = "model that the catalogue does not have"
    severity = "note"

    def look(self, subject: Subject) -> Iterator[Diagnostic]:
        for place, provider, model, is_own_server, path in asked_models(subject):
            is_described = any(subject.at(*place, key) is not None for key in ("context_window", "prices"))
            is_file = provider == "local" and model.endswith(".gguf")
            if is_own_server or is_described or is_file or not has_models_of(provider) or is_known(provider, model):
                continue
            if owner_of(model, provider) is None:  # else it is told as one of another provider
                yield self._unlisted(subject, path, provider, model)

    def _unlisted(self, subject: Subject, path: Path, provider: str, model: str) -> Diagnostic:
        near = nearest(model, names_of(provider))
        return self.finding(
            subject.span(*path),
            f"the catalogue has no model `{model}` of `{provider}`",
            path=path,
            help=f"did you mean `{near[0]}`? {WAY_OUT}" if near else WAY_OUT,
        )
