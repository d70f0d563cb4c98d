"""AS809 model that the catalogue does not have."""

from collections.abc import Iterator

from agentspec.checker.models import asked_models
from agentspec.checker.rule import Rule
from agentspec.checker.subject import Subject
from agentspec.compose.model_names import split_name
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
        for place, provider, model, is_own_server in asked_models(subject):
            is_described = any(subject.at(*place, key) is not None for key in ("context_window", "prices"))
            is_file = provider == "local" and model.endswith(".gguf")
            if is_own_server or is_described or is_file or not has_models_of(provider) or is_known(provider, model):
                continue
            if owner_of(model, provider) is None:  # else it is told as one of another provider
                yield self._unlisted(subject, (*place, "model"), provider, model)
        yield from self._fallbacks(subject)

    def _fallbacks(self, subject: Subject) -> Iterator[Diagnostic]:
        """Fallbacks that are ids of models: those that are no label of a route, nor nearly one."""
        named = list(subject.references("route"))
        if not named:
            return
        asked = list(asked_models(subject))
        others = [each.provider for each in asked]
        labels = [label for one in asked if (label := subject.text(*one.place, "label"))]
        provider = subject.text("model", "provider") or next((one.provider for one in asked), None)
        if provider is None or any(one.is_own_server for one in asked) or not has_models_of(provider):
            return
        for path, _, name in named:
            own, model = split_name(name)
            if own is not None and not has_models_of(own):
                continue
            is_known_model = any(is_known(one, model) for one in ((own,) if own else (provider, *others)))
            if not is_known_model and name not in labels and not nearest(name, labels):
                yield self._unlisted(subject, path, own or provider, model)

    def _unlisted(self, subject: Subject, path: Path, provider: str, model: str) -> Diagnostic:
        near = nearest(model, names_of(provider))
        return self.finding(
            subject.span(*path),
            f"the catalogue has no model `{model}` of `{provider}`",
            path=path,
            help=f"did you mean `{near[0]}`? {WAY_OUT}" if near else WAY_OUT,
        )
